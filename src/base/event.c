/* event.c -- messages and progress as JSON objects, for programs that show them in their own way.
 * The listener is called on the working thread only, and its answer can end the work: so an
 * interpreter that runs it can raise what a key press asks for. */
#include "base/json.h"
#include "base/log.h"

static const double tell_every = 0.1; /* seconds */

enum { LONGEST_EVENT = 1 << 16 };

void bs_event_send(bs_logger *log, const char *json)
{
    if (log && log->event && log->event(log->ctx, json) != 0)
        log->stopped = true;
}

static void send(bs_logger *log, bs_buf *text)
{
    if (!text->failed)
        bs_event_send(log, text->data);
    bs_buf_free(text);
}

void bs_event_message(bs_logger *log, bs_log_level level, const char *text)
{
    bs_buf out;
    if (!log->event)
        return;
    bs_buf_init(&out, LONGEST_EVENT);
    bs_json_open(&out, NULL, '{');
    bs_json_members(&out, "event %s level %s text %s", "message",
                    level == BS_WARN ? "warning" : "info", text);
    bs_json_close(&out, '}');
    send(log, &out);
}

static bool is_due(bs_logger *log)
{
    if (!log || !log->event)
        return false;
    const double now = bs_seconds();
    if (now - log->heard < tell_every)
        return false;
    log->heard = now;
    return true;
}

void bs_event_progress(bs_progress *p, double done)
{
    bs_buf out;
    if (!is_due(p->log))
        return;
    bs_buf_init(&out, LONGEST_EVENT);
    bs_json_open(&out, NULL, '{');
    bs_json_members(&out, "event %s what %s unit %s done %.0f total %.0f seconds %.3f", "progress",
                    p->what, p->unit, done, p->total, bs_seconds() - p->started);
    bs_json_close(&out, '}');
    send(p->log, &out);
}

bool bs_event_stopped(bs_logger *log)
{
    if (is_due(log))
        bs_event_send(log, "{\"event\": \"working\"}");
    return log && (log->stopped || bs_stop_asked(log->stop));
}
