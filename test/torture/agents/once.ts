import { defineWorker } from './worker.ts';

/** What it was at work on fails when its gateway dies. */
export default defineWorker('once', false);
