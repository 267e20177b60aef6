import { vi } from 'vitest';

/** Waits of tests end after ten seconds, as `expect.poll` does: a second is too short where many tests share a core. */
const { waitFor, waitUntil } = vi;
const timeout = 10_000;
const patient = (options: Parameters<typeof waitFor>[1]) =>
  typeof options === 'number' ? options : { timeout, ...options };

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
