import { inject, vi } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Milliseconds for which `expect.poll` waits. */
    patience: number;
  }
}

/** Waits of tests end when those of `expect.poll` do. */
const { waitFor, waitUntil } = vi;
const timeout = inject('patience');
const patient = (options: Parameters<typeof waitFor>[1]) =>
  typeof options === 'number' ? options : { timeout, ...options };

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
