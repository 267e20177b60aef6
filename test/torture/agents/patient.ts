import { definePatient } from '../../workload/agents/patient.ts';
import { noteExecution } from './executions.ts';

/** Goes on with its work wherever it is taken up. */
export default definePatient(noteExecution);
