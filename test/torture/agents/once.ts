import { defineWorker } from '../../workload/agents/worker.ts';
import { noteExecution } from './executions.ts';

/** What it was at work on fails when its gateway dies. */
export default defineWorker('once', false, noteExecution);
