import { defineWorker } from '../../workload/agents/worker.ts';
import { noteExecution } from './executions.ts';

/** Tasks that it works on fail when its gateway dies. */
export default defineWorker('once', false, noteExecution);
