/* Frames: see client.h. Nothing here trusts a length before it has been checked. */
#include "client.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* there the socket itself has an option for it */
#endif
#define MAGIC 0x6c616331u /* "lac1" */

static bool buffer_reserve(struct buffer *buffer, size_t more) {
    if (!buffer->failed && more <= buffer->room - buffer->length) return true;
    size_t room = (buffer->length + more) * 2 + 4096;
    bool is_sane = !buffer->failed && more <= SIZE_MAX / 8;
    void *data = is_sane ? sys_realloc(buffer->data, buffer->room, room) : NULL;
    buffer->failed = data == NULL;
    if (data == NULL) return false;
    buffer->data = data;
    buffer->room = room;
    return true;
}

void buffer_add(struct buffer *buffer, const void *data, size_t length) {
    if (length == 0 || !buffer_reserve(buffer, length)) return;
    memcpy(buffer->data + buffer->length, data, length);
    buffer->length += length;
}

void buffer_number(struct buffer *buffer, uint32_t number) {
    unsigned char bytes[4];
    for (int pos = 0; pos < 4; pos++) bytes[pos] = (unsigned char)(number >> (24 - 8 * pos));
    buffer_add(buffer, bytes, sizeof bytes);
}

void buffer_text(struct buffer *buffer, const char *text) {
    size_t length = 0;
    while (text[length] != '\0') length++;
    buffer->failed = buffer->failed || length > UINT32_MAX;
    buffer_number(buffer, (uint32_t)length);
    buffer_add(buffer, text, length);
}

void buffer_texts(struct buffer *buffer, char *const *texts) {
    uint32_t count = 0;
    while (texts[count] != NULL) count++;
    buffer_number(buffer, count);
    for (uint32_t pos = 0; pos < count; pos++) buffer_text(buffer, texts[pos]);
}

void buffer_free(struct buffer *buffer) {
    if (buffer->data != NULL) sys_free(buffer->data, buffer->room);
    *buffer = (struct buffer){0};
}

static int plain = -1, plain_ms;
static long plain_end; /* 0 for none */

static long clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void use_plainly(int handle, int limit_ms, bool is_for_all) {
    plain = handle;
    plain_ms = limit_ms;
    plain_end = is_for_all ? clock_ms() + limit_ms : 0;
}

static ssize_t send_some(int handle, const void *data, size_t length) {
    struct sigaction old, ignored = {.sa_handler = SIG_IGN};
    if (handle != plain) return sys(sendto, handle, data, length, MSG_NOSIGNAL, NULL, 0);
    sigaction(SIGPIPE, &ignored, &old);
    ssize_t sent = write(handle, data, length);
    sys_errno = errno;
    sigaction(SIGPIPE, &old, NULL);
    return sent;
}

static ssize_t receive_some(int handle, void *data, size_t length) {
    struct pollfd ready = {.fd = handle, .events = POLLIN};
    if (handle != plain) return sys(recvfrom, handle, data, length, 0, NULL, NULL);
    long left = plain_end > 0 ? plain_end - clock_ms() : plain_ms;
    int count = poll(&ready, 1, left > 0 ? (int)left : 0); /* after a signal anew: the caller tries again */
    ssize_t got = count > 0 ? read(handle, data, length) : -1;
    sys_errno = count == 0 ? EAGAIN : errno;
    return got;
}

bool print_at_once(int handle, const struct buffer *data) {
    int own = plain;
    plain = handle;
    bool is_sent = send_some(handle, data->data, data->length) == (ssize_t)data->length;
    plain = own;
    return is_sent;
}

bool frame_send(int handle, enum kind kind, const struct buffer *body) {
    struct buffer frame = {0};
    if (body->failed || body->length > UINT32_MAX) return false;
    buffer_number(&frame, MAGIC);
    buffer_add(&frame, &(char){(char)kind}, 1);
    buffer_number(&frame, (uint32_t)body->length);
    buffer_add(&frame, body->data, body->length);
    size_t sent = 0;
    while (!frame.failed && sent < frame.length) {
        const void *left = frame.data + sent;
        ssize_t got = send_some(handle, left, frame.length - sent);
        if (got == 0 || (got < 0 && sys_errno != EINTR)) break;
        if (got > 0) sent += (size_t)got;
    }
    bool is_sent = !frame.failed && sent == frame.length;
    buffer_free(&frame);
    return is_sent;
}

static bool receive(int handle, unsigned char *data, size_t length) {
    while (length > 0) {
        ssize_t got = receive_some(handle, data, length);
        if (got < 0 && sys_errno == EINTR) continue;
        if (got == 0) sys_errno = 0;   /* closed */
        if (got <= 0) return false; /* or the time limit of the socket */
        data += got;
        length -= (size_t)got;
    }
    return true;
}

static uint32_t number_at(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool frame_receive(int handle, struct answer *answer) {
    unsigned char head[9 + 3 * 4];
    struct buffer *rest = &answer->rest;
    if (!receive(handle, head, sizeof head) || number_at(head) != MAGIC) return false;
    uint32_t length = number_at(head + 5) - 3 * 4; /* underflow wraps to a huge value, rejected below */
    if (length > FRAME_LIMIT || !buffer_reserve(rest, length + 1)) return false;
    rest->length = length;
    answer->kind = (char)head[4];
    answer->status = number_at(head + 9);
    for (int pos = 0; pos < 2; pos++) answer->numbers[pos] = number_at(head + 13 + 4 * pos);
    return receive(handle, rest->data, length);
}

/* Finds the two texts in the rest, and checks that both lie inside it. */
static bool split(struct answer *answer, size_t start, uint32_t length) {
    const struct buffer *rest = &answer->rest;
    if (start > rest->length || length > rest->length - start) return false;
    answer->texts[0] = (struct text){rest->data + start, length};
    answer->texts[1] = (struct text){rest->data + start + length, rest->length - start - length};
    return true;
}

/* Finds three texts, each behind its length. */
static bool split_all(struct answer *answer) {
    const struct buffer *rest = &answer->rest;
    size_t at = 0;
    for (int pos = 0; pos < 3; pos++) {
        if (rest->length - at < 4) return false;
        uint32_t length = number_at(rest->data + at);
        at += 4;
        if (length > rest->length - at) return false;
        answer->texts[pos] = (struct text){rest->data + at, length};
        at += length;
    }
    return at == rest->length;
}

static bool is_whole(struct answer *answer) {
    const struct buffer *rest = &answer->rest;
    if (answer->status > 255) return false;
    switch (answer->kind) {
    case ANSWER:
        return split(answer, 0, answer->lengths[0]) && answer->texts[1].length == answer->lengths[1];
    case SHOWN: return rest->length >= 4 && split(answer, 4, number_at(rest->data));
    case BOXED:
    case BECOME: return rest->length > 0 && rest->data[rest->length - 1] == '\0';
    case NOTED: return split_all(answer);
    default: return answer->kind == RAW || answer->kind == COLD;
    }
}

bool answer_receive(int handle, struct answer *answer) {
    for (int left = MAX_HEARTBEATS; left > 0; left--) {
        *answer = (struct answer){0};
        bool is_received = frame_receive(handle, answer);
        if (is_received && is_whole(answer)) return true;
        bool is_late = !is_received && (sys_errno == EAGAIN || sys_errno == EWOULDBLOCK);
        bool is_sign_of_life = is_received && answer->kind == AT_WORK;
        buffer_free(&answer->rest);
        *answer = (struct answer){.is_late = is_late}; /* its texts were in the rest */
        if (!is_sign_of_life) return false;
    }
    return false;
}
