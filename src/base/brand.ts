declare const brand: unique symbol;

/**
 * A number (or bigint, or string) that must not be mixed up with another of the same shape:
 * `type Pid = Brand<number, 'Pid'>`. Costs nothing at run time.
 */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
