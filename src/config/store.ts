/** What may be written for the store. */
export const expectedStore = 'memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE';

/** Whether a text names a store. `memory` stands for `memory:`, which YAML wants in quotes. */
export const isStore = (value: string): boolean => /^(?:memory:?|sqlite:.+|postgres(?:ql)?:\/\/.+)$/.test(value);
