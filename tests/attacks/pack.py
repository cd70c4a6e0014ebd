"""The attack pack: what each program may end as, and the probe that would show its harm.

Every program is asked for `add(x, y)`. It returns the right sum only when its attack has worked, so
"passed" is always an alarm. All probes run after every program; the table names the one that matters.
Outcomes are as narrow as the machine allows; where there are two, `why` says what decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).parent / "programs"
BOTH = ("batch", "calls")


class Attack(NamedTuple):
    """One program. Traits: twice (is run twice), waits (ends by wall time), costly (may use more processor
    time, because what it runs out of is something else), secret (hunts the expected value)."""

    name: str
    outcomes: Mapping[str, tuple[str, ...]]  # by form
    probe: str
    traits: frozenset[str] = frozenset()
    why: str = ""
    hole: str = ""  # what is known to be wrong today: the judge fails, or swells

    @property
    def source(self) -> str:
        return (PROGRAMS / f"{self.name}.py").read_text(encoding="utf-8")


CATEGORIES = {
    "f": "forge a verdict or steal the expected value",
    "r": "take resources",
    "e": "escape",
    "p": "leave processes behind",
    "t": "outlast the clock",
    "i": "interfere with the next answer",
    "d": "hostile data",
    "v": "values and exceptions that act in the test they are given to",
}
PROBES = {
    "verdict": "it did not pass, and after it a right answer passes and a wrong one fails in that sandbox",
    "secret": "nothing it sent or printed holds the expected value",
    "host files": "nothing was written on the host, and nothing there was changed",
    "connections": "no server on the host (stream, datagram, abstract name) was reached",
    "processes": "no process is left below the runner, and none anywhere under the program's mark",
    "memory": "the trusted process did not swell, neither at its peak nor afterwards",
    "descriptors": "the trusted process has no more open descriptors than before",
    "user limits": "the user of the machine can still make watchers and timers, during and after it",
    "report": "what would be reported is printable and valid UTF-8",
    "second run": "run again in the same sandbox, it does not see what its first run left",
}


def _attack(
    name: str,
    outcomes: str | Mapping[str, str],
    probe: str = "verdict",
    *,
    forms: tuple[str, ...] = BOTH,
    traits: str = "",
    why: str = "",
    hole: str = "",
) -> Attack:
    by_form = outcomes if isinstance(outcomes, Mapping) else dict.fromkeys(forms, outcomes)
    allowed = {form: tuple(text.split()) for form, text in by_form.items()}
    return Attack(name, allowed, probe, frozenset(traits.split()), why, hole)


_ONE = ("batch",)  # expensive programs run in one form; the other would find nothing new
_EARLY = {"batch": "wrong", "calls": "tampered"}  # a reply too many is the next call's, or no call's at all
_MEMORY = "a control group ends one child and the parent goes on; without one the whole answer is ended"
_UNUSED = "machine code does not use what it patches, so its value arrives, which is wrong"
_SHARED = "without a control group, pages that processes share are counted for each of them"
_VICTIM = "the kernel chooses whom it kills: a child, then the answer is wrong, or the zygote"
_COMPILER = "timed_out out_of_memory syntax_error"
_LIMIT = "which limit the compiler meets first depends on its version; a compiler that refuses is as good"

_LONG = (
    *("v01_range_of_millions", "v02_range_without_end", "v03_range_beyond_its_length"),
    *("v04_range_that_counts_down", "v05_range_in_a_list", "v09_forged_rows_of_no_number"),
    *("v10_forged_long_range",),
)
_WALKED = (
    *("v06_empty_lists", "v07_deques_without_items", "v08_wide_characters", "v11_one_hash_for_all"),
    *("v12_one_hash_in_pairs", "v13_halves_of_one_hash"),
)
_COUNTED = (
    *("v14_a_count_of_nine_digits", "v15_a_count_without_end", "v16_a_count_beyond_words"),
    *("v17_a_giant_count", "v18_a_giant_negative_count", "v19_a_count_just_below_memory"),
    *("v20_a_count_that_is_no_number", "v21_true_for_a_count"),
)
_RAISED = (
    *("v22_stop", "v23_stop_with_the_value", "v24_stop_async", "v25_generator_exit", "v26_subclass_of_stop"),
    *("v27_namesake_of_stop", "v28_stop_from_next", "v32_stop_in_a_generator", "v33_index_error_for_an_end"),
)
_FORGED_ENDS = ("v29_forged_stop", "v30_forged_stop_with_text", "v31_forged_generator_exit")
_FORGED = "the forged frame is the call's reply, and the true one the next call's, or no call's at all"
_ROOM = "some versions compile it, some end in the sandbox, and later ones refuse it"

FORGE = (
    _attack("f01_equal_to_all", "wrong", forms=("batch", "calls", "text", "mera-code")),
    _attack("f02_agreeable_int", "wrong"),
    _attack("f03_agreeable_text", "wrong", forms=("batch", "calls", "text")),
    _attack("f04_agreeable_list", "wrong"),
    _attack("f05_agreeable_dict", "wrong"),
    _attack("f06_lying_class", "wrong"),
    _attack("f07_exit_while_loading", "exception"),
    _attack("f08_exit_in_call", "exception"),
    _attack("f09_becomes_another_program", "exception"),
    _attack("f10_walks_frames", "wrong"),
    _attack("f11_collector_spy", "wrong", "secret", traits="secret"),
    _attack("f12_disk_spy", "wrong", "secret", traits="secret"),
    _attack("f13_memory_spy", "wrong", "secret", traits="secret"),
    _attack("f14_environment_spy", "wrong", "secret", traits="secret"),
    _attack("f15_done_at_once", "tampered"),
    _attack("f16_loaded_then_done", "tampered"),
    _attack("f17_unknown_frames", "tampered"),
    _attack("f18_answers_in_advance", _EARLY),
    _attack("f19_unreadable_error", "tampered"),
    _attack("f20_error_of_wrong_types", "tampered"),
    _attack("f21_huge_length", "output_limit", "memory"),
    _attack("f22_length_and_silence", "timed_out", forms=_ONE, traits="waits"),
    _attack("f23_slow_trickle", "timed_out", forms=_ONE, traits="waits"),
    _attack("f24_doubled_replies", _EARLY),
    _attack("f25_forged_arguments", "tampered", forms=("calls",)),
    _attack("f26_code_for_a_value", "tampered"),
    _attack("f27_cut_off_value", "tampered"),
    _attack("f28_two_values_in_one", "tampered", forms=("batch", "calls")),
    _attack("f29_forged_array", "wrong", forms=("batch", "calls", "text")),
    _attack("f30_patched_builtins", "wrong"),
    _attack("f31_prints_success", "wrong"),
    _attack("f32_namesake_of_assertion_error", "exception"),
    _attack("f33_raises_assertion_error", "exception"),
    _attack("f34_raises_exit", "exception"),
    _attack("f35_patched_encoder", "wrong"),
    _attack("f36_own_check", "wrong"),
    _attack("f37_two_that_answer", "wrong"),
    _attack("f38_marks_for_values", "wrong"),
    _attack("f39_closes_the_channel", "exception"),
    _attack("f40_shuts_the_channel", "exception"),
    _attack("f41_poses_as_the_zygote", "output_limit", "memory"),
    _attack("f42_patched_exit", "wrong"),
    _attack("f43_guesses_after_the_fact", "wrong", "secret", traits="secret"),
    _attack("f44_test_spy", "wrong", "secret", traits="secret"),
)

RESOURCES = (
    _attack("r01_fork_bomb", "wrong out_of_memory", "processes", why=_SHARED),
    _attack("r02_thread_bomb", "wrong", "processes"),
    _attack("r03_hungry_list", "out_of_memory", "memory", traits="costly"),
    _attack("r04_hungry_children", "wrong out_of_memory", "memory", forms=_ONE, traits="costly", why=_MEMORY),
    _attack("r05_shared_segments", "wrong", "memory"),
    _attack("r06_files_in_memory", "wrong", "memory"),
    _attack("r07_disk_fill", "wrong", "host files"),
    _attack("r08_inode_fill", "wrong", "host files", forms=_ONE),
    _attack("r09_descriptor_hoard", "wrong", "descriptors"),
    _attack("r10_output_flood", "output_limit", "memory"),
    _attack("r11_error_flood_by_child", "output_limit", "memory"),
    _attack("r12_huge_value", "output_limit", "memory"),
    _attack("r13_huge_error", "exception", "memory"),
    _attack("r14_deep_repr", "exception"),
    _attack("r15_giant_power", "timed_out", forms=_ONE),
    _attack("r16_catastrophic_pattern", "timed_out", forms=_ONE),
    _attack("r17_colliding_keys", "timed_out", forms=_ONE),
    _attack("r18_colliding_keys_sent", "tampered", "memory"),
    _attack("r19_giant_integer_sent", "wrong", "memory", forms=_ONE),
    _attack("r20_swelling_value_sent", "output_limit", "memory", forms=_ONE),
    _attack("r21_giant_fraction_sent", "output_limit", "memory"),
    _attack("r22_pipe_hoard", "wrong", "memory"),
    _attack("r23_zombie_hoard", "wrong", "processes"),
    _attack("r24_takes_the_processor", "wrong"),
    _attack("r25_core_dump", "exception", "host files"),
    _attack("r26_raises_its_limits", "wrong"),
    _attack("r27_billion_laughs", "timed_out", "memory", forms=_ONE),
    _attack("r28_endless_generator", "wrong"),
    _attack("r29_locks_memory", "wrong"),
    _attack("r30_asynchronous_contexts", "wrong"),
    _attack("r31_message_queues", "wrong"),
    _attack("r32_starves_the_zygote", "wrong out_of_memory", forms=_ONE, traits="costly", why=_VICTIM),
    _attack("r33_descriptors_sent", "tampered", "descriptors"),
    _attack("r34_stack_overflow", "exception", "memory", forms=_ONE),
    _attack("r35_exponential_source", _COMPILER, "memory", forms=_ONE, why=_LIMIT),
    _attack("r36_swelling_source", _COMPILER, "memory", forms=_ONE, why=_LIMIT),
    _attack("r37_many_ways_out", _COMPILER, "memory", forms=_ONE, why=_LIMIT),
    _attack("r38_timer_hoard", "wrong", "user limits"),
    _attack("r39_signal_hoard", "wrong", "user limits"),
    _attack("r40_nested_comprehensions", "wrong exception syntax_error", "memory", why=_ROOM),
)

ESCAPES = (
    _attack("e01_reads_host_files", "wrong", "secret", traits="secret"),
    _attack("e02_network", "wrong", "connections"),
    _attack("e03_kills_everyone", "wrong", "processes"),
    _attack("e04_sees_siblings", "wrong"),
    _attack("e05_kernel_knobs", "wrong"),
    _attack("e06_links_and_roots", "wrong", "secret", traits="secret"),
    _attack("e07_new_namespaces", "wrong"),
    _attack("e08_clone_with_namespaces", "wrong"),
    _attack("e09_reads_other_processes", "wrong"),
    _attack("e10_forbidden_calls", "wrong"),
    _attack("e11_becomes_root", "wrong"),
    _attack("e12_writes_the_library", "wrong", "host files"),
    _attack("e13_writes_outside", "wrong", "host files"),
    _attack("e14_runs_from_memory", "wrong", "host files", forms=_ONE),
    _attack("e15_abstract_socket", "wrong", "connections"),
    _attack("e16_inherited_descriptors", "wrong", "descriptors"),
    _attack("e17_devices", "wrong"),
    _attack("e18_other_numbering", "exception"),
    _attack("e19_lifts_the_filter", "wrong"),
    _attack("e20_reopened_descriptors", "wrong", "host files"),
    _attack("e21_socket_families", "wrong", "connections"),
    _attack("e22_set_user_programs", "wrong", forms=_ONE),
    _attack("e23_changes_the_clock", "wrong"),
    _attack("e24_process_handles", "wrong", "processes"),
    _attack("e25_spoils_the_devices", "wrong", "host files"),
    _attack("e26_sees_more_than_python", "wrong"),
    _attack("e27_watches_folders", "wrong", "user limits"),
    _attack("e28_watches_by_number", "wrong"),
    _attack("e29_notes_and_leases", "wrong"),
    _attack("e30_names_a_socket", "wrong"),
    _attack("e31_serves", "wrong"),
    _attack("e32_named_by_the_kernel", "wrong"),
    _attack("e33_loads_a_filter", "wrong"),
    _attack("e34_side_views", "wrong"),
    _attack("e35_uncovers_proc", "wrong"),
    _attack("e36_flushes_disks", "wrong", forms=_ONE),
)

PROCESSES = (
    _attack("p01_double_fork_daemon", "wrong", "processes"),
    _attack("p02_posix_daemon", "wrong", "processes"),
    _attack("p03_grandchild_keeps_channel", "exception", "processes"),
    _attack("p04_fork_returns_twice", "wrong", "processes"),
    _attack("p05_ignores_signals", "timed_out", "processes", forms=_ONE),
    _attack("p06_stops_itself", "wrong", "processes"),
    _attack("p07_detached_popen", "wrong", "processes"),
    _attack("p08_pool_left_over", "wrong", "processes"),
    _attack("p09_closes_everything", "exception", "processes"),
    _attack("p10_replaced_streams", "wrong"),
    _attack("p11_endless_end", "wrong", "processes"),
    _attack("p12_process_groups", "wrong", "processes"),
    _attack("p13_renamed_orphans", "wrong", "processes"),
    _attack("p14_adopts_orphans", "wrong", "processes"),
)

CLOCKS = (
    _attack("t01_disarms_alarms", "timed_out", forms=_ONE),
    _attack("t02_sleeps", "timed_out", forms=_ONE, traits="waits"),
    _attack("t03_swallows_everything", "timed_out", forms=_ONE),
    _attack("t04_patched_clocks", "timed_out", forms=_ONE),
    _attack("t05_burns_in_children", "timed_out", "processes", forms=_ONE),
    _attack("t06_burns_in_threads", "timed_out", forms=_ONE),
    _attack("t07_takes_more_processor_time", "timed_out", forms=("calls",)),
    _attack("t08_alarm_storm", "timed_out", forms=_ONE),
    _attack("t09_waits_for_the_channel", "timed_out", forms=_ONE, traits="waits"),
    _attack("t10_hot_potato", "timed_out", "processes", forms=_ONE, traits="waits"),
    _attack("t11_spins_while_loading", "timed_out", forms=("calls",)),
    _attack("t12_sleeps_in_an_error", "timed_out", forms=_ONE, traits="waits"),
    _attack("t13_loops_in_c", "timed_out", forms=_ONE),
    _attack("t14_waits_after_the_last_answer", "timed_out", forms=_ONE, traits="waits"),
)

INTERFERENCE = (
    _attack("i01_marks_in_files", "wrong", "second run", traits="twice"),
    _attack("i02_marks_in_shared_memory", "wrong", "second run", traits="twice"),
    _attack("i03_marks_in_queues", "wrong", "second run", traits="twice"),
    _attack("i04_marks_in_names", "wrong", "second run", traits="twice"),
    _attack("i05_marks_in_keyrings", "wrong", "second run", traits="twice"),
    _attack("i06_poisons_modules", "wrong", "second run", traits="twice"),
    _attack("i07_marks_in_stdin", "wrong", "second run", traits="twice"),
    _attack("i08_marks_in_locks", "wrong", "second run", traits="twice"),
    _attack("i09_marks_in_times", "wrong", "second run", traits="twice"),
    _attack("i10_poisons_memory", "wrong", "second run", traits="twice"),
    _attack("i11_leaves_a_process", "wrong", "second run", traits="twice"),
    _attack("i12_marks_in_process_state", "wrong", "second run", traits="twice"),
    _attack("i13_marks_in_bytecode", "wrong", "second run", traits="twice"),
    _attack("i14_patches_the_harness", "exception wrong", "second run", traits="twice", why=_UNUSED),
    _attack("i15_marks_in_limits", "wrong", "second run", traits="twice"),
    _attack("i16_marks_in_watches", "wrong", "second run", traits="twice"),
)

DATA = (
    _attack("d01_reduce", "wrong", "host files"),
    _attack("d02_endless_repr", "wrong"),
    _attack("d03_hostile_error_text", "exception"),
    _attack("d04_hostile_keys", "wrong"),
    _attack("d05_deep_list", "wrong", "memory"),
    _attack("d06_list_that_holds_itself", "wrong", "memory"),
    _attack("d07_surrogates_and_nul", "wrong", "report"),
    _attack("d08_nul_in_source", "syntax_error", "report"),
    _attack("d09_coding_cookie", "wrong"),
    _attack("d10_hostile_error_class", "exception"),
    _attack("d11_not_a_number", "wrong"),
    _attack("d12_giant_integer", "wrong", "memory", forms=("batch", "calls", "text", "mera-code")),
    _attack("d13_hostile_names", "exception", "report"),
    _attack("d14_code_values", "wrong"),
    _attack("d15_coroutine", "wrong"),
    _attack("d16_not_a_function", "exception"),
    _attack("d17_no_entry_point", "no_entry_point"),
    _attack("d18_key_error_while_loading", "exception"),
    _attack("d19_broken_syntax", "syntax_error"),
    _attack("d20_deep_source", "syntax_error out_of_memory", why="what gives up first depends on the parser"),
    _attack("d21_memory_error_by_name", "out_of_memory", why="a claim, but only of how it failed"),
    _attack("d22_hostile_text_subclass", "exception"),
    _attack("d23_array_without_library", "wrong", "report"),
)

# How a test uses what it is given: see `arena.USES`. These run in a worker of their own, as in a run.
ONCE, OFTEN = ("tuple", "sum"), ("tuple", "set")
COUNTS = ("repeat", "count")
LOOPS = ("zip", "sentinel")
_ANY_END = "wrong timed_out out_of_memory"
_USE = "it depends on the use which of the test's limits the value meets first, if any"

VALUES = (
    *(_attack(name, "output_limit", "memory", forms=ONCE) for name in _LONG),
    *(_attack(name, _ANY_END, "memory", forms=OFTEN, why=_USE) for name in _WALKED),
    *(_attack(name, _ANY_END, "memory", forms=COUNTS, why=_USE) for name in _COUNTED),
    *(_attack(name, "exception", forms=LOOPS) for name in _RAISED),
    *(_attack(name, "exception tampered", forms=LOOPS, why=_FORGED) for name in _FORGED_ENDS),
)

PACK = (*VALUES, *FORGE, *RESOURCES, *ESCAPES, *PROCESSES, *CLOCKS, *INTERFERENCE, *DATA)
BY_NAME = {attack.name: attack for attack in PACK}
