/* One answer: what `child.serve_job` does for a compiled program with all its calls, in the same order.

   The same steps in Python touch a page for each function, code object, constant and module that they use, and
   a fork copies each page. Here they are calls of the interpreter's public functions, whose addresses
   inside/api_table.py provides, so this file depends on no version of Python. Of an object it reads the type
   alone. What is rare stays in Python: other modes, calls one by one, errors, values that need a conversion.

   The program can change anything here, as in Python, and spoils its own answer alone. */

enum { FORMAT = 2, HEAD = 5, MOST_DEPTH = 100 };

typedef void *object;

/* In the order of inside/api_table.py. */
struct interpreter {
    object names; /* of a new module for the program: a dict */
    object whole, answer, encode, claim, load_claim; /* functions of child.py and wire.py */
    object of_call, of_value, flush; /* texts */
    object integer, text, real, truth, nothing, bytes, complex, list, tuple, dict; /* types */
    object (*new_bytes)(const char *, long);
    int (*view_bytes)(object, char **, long *);
    object (*unmarshal)(const char *, long);
    object (*marshal)(object, int);
    int (*is_unlike)(object, const char *);
    object (*in_tuple)(object, long);
    long (*tuple_size)(object);
    object (*in_list)(object, long);
    long (*list_size)(object);
    object (*list_as_tuple)(object);
    int (*next_in_dict)(object, long *, object *, object *);
    object (*item)(object, object);
    object (*of_system)(const char *);
    object (*evaluate)(object, object, object);
    object (*call)(object, object, object);
    object (*call_with)(object, ...);
    object (*call_method)(object, object, ...);
    void (*take_error)(object *, object *, object *);
    void (*make_error)(object *, object *, object *);
    int (*set_traceback)(object, object);
    void (*clear_error)(void);
    int (*collect_garbage)(void);
    void (*release)(object);
};

static void leave(void)
{
    for (;;)
        call(NR_exit_group, 0, 0, 0, 0, 0);
}

/* child.flush_output */
static void flush(const struct interpreter *py)
{
    for (int error = 0; error <= 1; error++) {
        object stream = py->of_system(error ? "stderr" : "stdout");
        if (stream && !py->call_method(stream, py->flush, (object)0))
            py->clear_error(); /* the answer may have replaced, closed or filled the stream */
    }
}

/* End like child.serve after an exception: what the program printed is written. */
static void give_up(const struct interpreter *py)
{
    py->clear_error();
    flush(py);
    leave();
}

static void read_exactly(char *to, long count)
{
    while (count > 0) {
        long got = again(NR_read, ANSWER, (long)to, count);
        if (got <= 0)
            leave();
        to += got;
        count -= got;
    }
}

static void send(char kind, void *payload, long length)
{
    char head[HEAD] = {(char)length, (char)(length >> 8), (char)(length >> 16), (char)(length >> 24), kind};
    struct iovec parts[] = {{head, HEAD}, {payload, (unsigned long)length}}, *part = parts, *end = parts + 2;
    if (call(NR_getpid, 0, 0, 0, 0, 0) != 1)
        leave(); /* a fork made by the answer: only the first process replies */
    while (part < end) {
        long put = again(NR_writev, ANSWER, (long)part, end - part);
        if (put < 0)
            leave();
        for (; part < end && (unsigned long)put >= part->length; part++)
            put -= (long)part->length;
        if (part < end) {
            part->base = (char *)part->base + put;
            part->length -= (unsigned long)put;
        }
    }
}

/* Send bytes of the interpreter and release them. None: an exception in the report of an exception. */
static void send_bytes(const struct interpreter *py, char kind, object payload)
{
    char *place;
    long length;
    if (!payload || py->view_bytes(payload, &place, &length) < 0)
        give_up(py);
    send(kind, place, length);
    py->release(payload);
}

static object caught(const struct interpreter *py)
{
    object type, error, trace;
    py->take_error(&type, &error, &trace);
    py->make_error(&type, &error, &trace);
    if (trace)
        py->set_traceback(error, trace);
    return error;
}

/* Whether `wire.encode` would write a value as it is. */
static int is_plain(const struct interpreter *py, object value, int depth)
{
    object type = ((object *)value)[1];
    if (type == py->integer || type == py->text || type == py->truth || type == py->real || type == py->nothing
        || type == py->bytes || type == py->complex)
        return 1;
    if (depth == MOST_DEPTH)
        return 0;
    if (type == py->list || type == py->tuple) {
        int in_list = type == py->list;
        long count = in_list ? py->list_size(value) : py->tuple_size(value);
        for (long i = 0; i < count; i++)
            if (!is_plain(py, in_list ? py->in_list(value, i) : py->in_tuple(value, i), depth + 1))
                return 0;
        return 1;
    }
    if (type != py->dict)
        return 0;
    object key, item;
    for (long at = 0; py->next_in_dict(value, &at, &key, &item);)
        if (!is_plain(py, key, depth + 1) || !is_plain(py, item, depth + 1))
            return 0;
    return 1;
}

static void send_error(const struct interpreter *py, char kind, object stage)
{
    object error = caught(py);
    send_bytes(py, kind, py->call_with(py->claim, stage, error, (object)0));
    py->release(error);
}

static void reply(const struct interpreter *py, object function, object one)
{
    object value = py->call(function, py->in_tuple(one, 0), py->in_tuple(one, 1));
    if (!value) {
        send_error(py, 'X', py->of_call);
        return;
    }
    object payload = is_plain(py, value, 0) ? py->marshal(value, FORMAT)
                                            : py->call_with(py->encode, value, (object)0);
    if (payload)
        send_bytes(py, 'V', payload);
    else
        send_error(py, 'T', py->of_value);
    py->release(value);
}

/* Load the program; its function, or nothing after an error, which is sent. */
static object load(const struct interpreter *py, const char *source, long length, object entry_point)
{
    object code = py->unmarshal(source, length), function = 0;
    if (code && py->evaluate(code, py->names, py->names))
        function = py->item(py->names, entry_point);
    if (function)
        send('L', 0, 0);
    else
        send_bytes(py, 'E', py->call_with(py->load_claim, caught(py), py->names, entry_point, (object)0));
    return function;
}

/* Whether the calls hold a value of a type that marshal lacks (`wire.read_trusted`). */
static int has_mark(const char *calls, long length)
{
    for (long i = 0; i + 1 < length; i++)
        if (calls[i] == 'S' && calls[i + 1] == 'u')
            return 1;
    return 0;
}

static void answer_calls(const struct interpreter *py, object function, object calls)
{
    char *place;
    long length;
    if (py->view_bytes(calls, &place, &length) < 0)
        leave();
    if (length == 0 || has_mark(place, length)) {
        if (!py->call_with(py->answer, function, calls, (object)0))
            give_up(py);
        return;
    }
    object list = py->unmarshal(place, length), all = list ? py->list_as_tuple(list) : 0;
    if (!all)
        leave();
    py->release(list); /* the answer could find and clear it, and so free the arguments of a call */
    for (long i = 0, count = py->tuple_size(all); i < count; i++)
        reply(py, function, py->in_tuple(all, i));
}

/* Serve one answer on its socket. */
static void serve(const struct interpreter *py)
{
    unsigned char size[4];
    char *place, *source;
    long length = 0, source_length;
    read_exactly((char *)size, sizeof size);
    for (int i = 3; i >= 0; i--)
        length = length << 8 | size[i];
    object frame = py->new_bytes(0, length);
    if (!frame || py->view_bytes(frame, &place, &length) < 0)
        leave();
    read_exactly(place, length);
    object job = py->unmarshal(place, length);
    if (!job)
        leave();
    object mode = py->in_tuple(job, 0), program = py->in_tuple(job, 2);
    int is_call = !py->is_unlike(mode, "batch") || !py->is_unlike(mode, "calls");
    if (!is_call || ((object *)program)[1] != py->bytes) {
        if (!py->call(py->whole, job, (object)0))
            give_up(py);
        return;
    }
    py->collect_garbage();
    if (py->view_bytes(program, &source, &source_length) < 0)
        leave();
    object function = load(py, source, source_length, py->in_tuple(job, 1));
    if (function)
        answer_calls(py, function, py->in_tuple(job, 3));
    flush(py);
    send('D', 0, 0);
}
