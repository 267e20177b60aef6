import { createReferenceAgent } from '../../../src/agents/reference.ts';

/** The reference agent as an agent whose work must not be done twice: a task that it worked on fails with its gateway. */
export default { ...createReferenceAgent(), restart: false };
