/* A module that says that it is there, and has a function that a guest's list of symbols must have. */
#include <linux/kernel.h>
#include <linux/module.h>

static noinline void greet_from_module(void) { pr_emerg("greetings from the module\n"); }

static int __init start(void) {
  greet_from_module();
  return 0;
}
static void __exit stop(void) {}
module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For the tests of guests");
