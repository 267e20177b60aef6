import { defineWorker } from './worker.ts';

/** It is given the same message once more when its gateway dies. */
export default defineWorker('restarted', true);
