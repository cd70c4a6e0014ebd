// The server half of the harness: it answers calls of one function, which come one at a time over descriptor 3.
//
// It shares its process with the code under test, so a reply is a claim: a value and never a verdict. What a right
// value is, nothing in this process knows.
package bwharness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
)

const (
	channelDescriptor = 3
	longestText       = 400 // bytes of what a panic says
	longDigit         = 15  // bits of a digit of a long integer in marshal's format
)

var served any

// Serve sets the function whose calls this process answers.
//
//go:noinline
func Serve(function any) { served = function }

// serve answers calls until the channel is closed.
func serve() {
	channel := os.NewFile(channelDescriptor, "channel")
	function := reflect.ValueOf(served)
	send(channel, 'L', nil)
	for {
		request, err := receive(channel)
		if err != nil {
			os.Exit(0)
		}
		kind, reply := answered(function, request)
		send(channel, kind, reply)
	}
}

// answered is the frame that a call ends with: V and the value's text, as the published tests compare it, or X.
func answered(function reflect.Value, request []byte) (kind byte, reply []byte) {
	defer func() {
		if said := recover(); said != nil {
			kind, reply = 'X', claim(fmt.Sprint(said))
		}
	}()
	result := function.Call(arguments(function.Type(), request))[0].Interface()
	return 'V', marshalText('s', fmt.Sprintf("%v", result))
}

// arguments are the values of a request in the types of the function's parameters.
func arguments(function reflect.Type, request []byte) []reflect.Value {
	given := (&reading{data: request}).value().([]any)
	values := make([]reflect.Value, len(given))
	for i, each := range given {
		pair := each.([]any)
		if written := pair[0].(string); written != "" {
			values[i] = built(typeOf(written), pair[1])
		} else {
			values[i] = constant(parameter(function, i), pair[1])
		}
	}
	return values
}

func parameter(function reflect.Type, i int) reflect.Type {
	if last := function.NumIn() - 1; function.IsVariadic() && i >= last {
		return function.In(last).Elem()
	}
	return function.In(i)
}

// constant is an untyped constant, or nil, as a parameter takes it.
func constant(to reflect.Type, value any) reflect.Value {
	if value == nil {
		return reflect.Zero(to)
	}
	if number, ok := value.(int64); ok && to.Kind() == reflect.Interface {
		return reflect.ValueOf(int(number))
	}
	if to.Kind() == reflect.Interface {
		return reflect.ValueOf(value)
	}
	return reflect.ValueOf(value).Convert(to)
}

// built is a value of a type that the tests write.
func built(kind reflect.Type, value any) reflect.Value {
	made := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.Slice:
		items := value.([]any)
		made.Set(reflect.MakeSlice(kind, len(items), len(items)))
		for i, item := range items {
			made.Index(i).Set(built(kind.Elem(), item))
		}
	case reflect.Map:
		made.Set(reflect.MakeMap(kind))
		for _, each := range value.([]any) {
			pair := each.([]any)
			made.SetMapIndex(built(kind.Key(), pair[0]), built(kind.Elem(), pair[1]))
		}
	case reflect.Interface:
		if value != nil {
			pair := value.([]any)
			made.Set(built(typeOf(pair[0].(string)), pair[1]))
		}
	default:
		made.Set(reflect.ValueOf(value).Convert(kind))
	}
	return made
}

// typeOf reads a type as the tests write it.
func typeOf(text string) reflect.Type {
	switch text {
	case "int":
		return reflect.TypeOf(0)
	case "float64":
		return reflect.TypeOf(0.0)
	case "string":
		return reflect.TypeOf("")
	case "bool":
		return reflect.TypeOf(false)
	case "interface{}":
		return reflect.TypeOf((*any)(nil)).Elem()
	}
	if rest, ok := strings.CutPrefix(text, "[]"); ok {
		return reflect.SliceOf(typeOf(rest))
	}
	key, value, _ := strings.Cut(strings.TrimPrefix(text, "map["), "]") // no key of the tests has a bracket
	return reflect.MapOf(typeOf(key), typeOf(value))
}

// reading is a place in a request. The trusted side wrote it, in marshal's format 2.
type reading struct {
	data []byte
	at   int
}

func (r *reading) take(count int) []byte {
	r.at += count
	return r.data[r.at-count : r.at]
}

func (r *reading) count() int { return int(int32(binary.LittleEndian.Uint32(r.take(4)))) }

func (r *reading) value() any {
	switch tag := r.take(1)[0]; tag {
	case 'N':
		return nil
	case 'T', 'F':
		return tag == 'T'
	case 'i':
		return int64(r.count())
	case 'l':
		return r.long()
	case 'g':
		return math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
	case 'u':
		return string(r.take(r.count()))
	case '[', '(':
		items := make([]any, r.count())
		for i := range items {
			items[i] = r.value()
		}
		return items
	}
	panic("a request of another form")
}

func (r *reading) long() int64 {
	digits, sign := r.count(), int64(1)
	if digits < 0 {
		digits, sign = -digits, -1
	}
	var number uint64
	for i := range digits {
		number |= uint64(binary.LittleEndian.Uint16(r.take(2))) << (longDigit * i)
	}
	return sign * int64(number)
}

func marshalText(tag byte, text string) []byte {
	made := binary.LittleEndian.AppendUint32([]byte{tag}, uint32(len(text)))
	return append(made, text...)
}

// claim is what a panic is reported as: stage, kind, text, no line.
func claim(text string) []byte {
	text = strings.ToValidUTF8(text[:min(len(text), longestText)], "?")
	made := []byte{'(', 4, 0, 0, 0}
	for _, each := range []string{"call", "panic", text} {
		made = append(made, marshalText('u', each)...)
	}
	return append(made, 'i', 0, 0, 0, 0)
}

func receive(channel *os.File) ([]byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(channel, head); err != nil {
		return nil, err
	}
	request := make([]byte, binary.LittleEndian.Uint32(head))
	if len(request) == 0 {
		return nil, errors.New("no further call")
	}
	_, err := io.ReadFull(channel, request)
	return request, err
}

func send(channel *os.File, kind byte, payload []byte) {
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	if _, err := channel.Write(append(append(frame, kind), payload...)); err != nil {
		os.Exit(0)
	}
	runtime.KeepAlive(channel)
}
