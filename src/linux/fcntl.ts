/** Source: <linux/fcntl.h>: in place of a folder's descriptor, the current folder. */
export const AT_FDCWD = -100;
