'use strict';
// Preloaded before the suite, and the reporter of node:test. It signs each line of the report with a word that
// only it knows: the ticket with the words is deleted before any file of the suite is loaded.

const fs = require('node:fs');
const assert = require('node:assert');
const tests = require('node:test');

const { writeSync, openSync, readFileSync, unlinkSync } = fs;
const { stringify, parse } = JSON;
const { apply } = Reflect;
const text = String;
const slice = String.prototype.slice;

const ticket = parse(readFileSync(__dirname + '/ticket.json', 'utf8'));
unlinkSync(__dirname + '/ticket.json');
const known = ticket.cases; // names of cases: true
const isCase = Object.prototype.hasOwnProperty;
const report = openSync(__dirname + '/report', 'a');
let lines = 0;

function write(...fields) {
  if (lines < ticket.words.length) writeSync(report, stringify([ticket.words[lines++], ...fields]) + '\n');
}

function watched() {
  const found = [];
  for (const [name, holder] of [['assert', assert], ['assert.strict', assert.strict], ['test', tests]]) {
    for (const key of Object.getOwnPropertyNames(holder)) {
      const property = Object.getOwnPropertyDescriptor(holder, key);
      if (typeof property.value === 'function') found.push([name + '.' + key, holder, key, property.value]);
    }
  }
  return found;
}
const watch = watched();
const descriptor = Object.getOwnPropertyDescriptor;

function changed() {
  for (let i = 0; i < watch.length; i++) {
    const [name, holder, key, value] = watch[i];
    const now = descriptor(holder, key);
    if (!now || now.value !== value) return name;
  }
  return '';
}

function shiftClock(milliseconds) {
  const Real = Date;
  const now = Real.now;
  const shifted = () => now() + milliseconds;
  globalThis.Date = new Proxy(Real, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length ? given : [shifted()], made === globalThis.Date ? target : made),
    apply: () => text(new Real(shifted())),
    get: (target, key) => (key === 'now' ? shifted : target[key]),
  });
}

function cause(error) {
  try {
    const inner = error.cause === undefined ? error : error.cause;
    const kind = inner && inner.code === 'ERR_ASSERTION' ? 'assertion' : 'exception';
    return [kind, apply(slice, text(inner), [0, 600])];
  } catch {
    return ['exception', 'its error cannot be read'];
  }
}

function above(path) {
  for (let length = path.length - 1; length > 0; length--) {
    const name = path.slice(0, length).join(ticket.separator);
    if (apply(isCase, known, [name])) return name;
  }
  return '';
}

module.exports = async function* (source) {
  const path = []; // names of the tests that are open, by depth
  const reasons = {}; // by case: why its first failing subtest failed
  const done = {};
  let problem = '';
  for await (const event of source) {
    const data = event.data;
    if (event.type === 'test:start') path.length = data.nesting;
    if (event.type === 'test:start') path[data.nesting] = text(data.name);
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    path.length = data.nesting + 1;
    path[data.nesting] = text(data.name);
    const name = path.join(ticket.separator);
    const failed = event.type === 'test:fail';
    const [kind, detail] = failed ? cause(data.details.error) : ['', ''];
    const sign = changed();
    if (sign) {
      write('tampered', '', '', sign + ' was replaced');
      return;
    }
    if (data.details.type === 'suite') {
      if (failed && data.details.error.failureType === 'hookFailed') problem = problem || name + ': ' + detail;
    } else if (apply(isCase, known, [name]) && !apply(isCase, done, [name])) {
      done[name] = true;
      const skipped = data.skip !== undefined || data.todo !== undefined;
      const state = skipped ? 'skipped' : failed ? 'failed' : 'passed';
      const why = reasons[name] && data.details.error && data.details.error.failureType === 'subtestsFailed';
      const [shownKind, shown] = state !== 'failed' ? ['', ''] : why ? reasons[name] : [kind, detail];
      write(state, name, shownKind, shown);
    } else {
      const holder = above(path);
      if (!holder) {
        write('unknown', apply(slice, name, [0, 200]), '', '');
        return;
      }
      if (failed && !reasons[holder]) reasons[holder] = [kind, detail];
    }
  }
  write('end', '', '', problem);
};

if (ticket.clock) shiftClock(ticket.clock);
write('begun', '', '', '');
