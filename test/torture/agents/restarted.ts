import { defineWorker } from '../../workload/agents/worker.ts';
import { noteExecution } from './executions.ts';

/** It is given the same message once more when its gateway dies. */
export default defineWorker('restarted', true, noteExecution);
