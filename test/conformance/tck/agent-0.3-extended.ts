import { defineAgent } from '../../../src/index.ts';
import { definition } from './agent-0.3.ts';

/** The agent that the kit for A2A 0.3 expects, with an extended card. */
export default defineAgent({
  ...definition,
  extendedCard: { description: 'The extended card of the agent that the official conformance kit expects.' },
});
