/* With LACONIC_BARE: answers a hook without starting the C library; for Linux on x86-64.
 *
 * Starting it asks the processor dozens of questions. In a virtual machine the host answers each of
 * them, which takes longer than all else that a hook does. So the program begins here, and what a
 * hook uses makes its system calls itself (`sys`); all others go on to the library. */
#ifdef LACONIC_BARE
#include "client.h"

__asm__(".globl bare_entry\nbare_entry:\n"
        "mov %rsp, %rbx; mov %rsp, %rdi; and $-16, %rsp; call bare_start\n"
        "mov %rbx, %rsp; xor %edx, %edx; xor %ebp, %ebp; jmp _start");

int sys_errno;

void bare_start(long *stack) {
    char **argv = (char **)(stack + 1);
    environ = argv + stack[0] + 1;
    if (equals(argv[1], "hook")) sys(exit_group, main((int)stack[0], argv));
}

long sys_call(long number, long a, long b, long c, long d, long e, long f) {
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    if (number < -4095 || number >= 0) return number;
    sys_errno = (int)-number;
    return -1;
}

void *sys_realloc(void *data, size_t old, size_t size) {
    int access = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    long made = data == NULL ? sys(mmap, NULL, size, access, flags, -1, 0)
                             : sys(mremap, data, old, size, MREMAP_MAYMOVE);
    return made == -1 ? NULL : (void *)made;
}

/* Compilers insert calls of these; the library's own work only once the library is started. */
void *memcpy(void *to, const void *from, size_t length) {
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(length) : : "memory");
    return to;
}

void *memset(void *to, int byte, size_t length) {
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(length) : "a"(byte) : "memory");
    return to;
}
#endif
