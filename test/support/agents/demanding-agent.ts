import { defineAgent, say } from '../../../src/agents/define.ts';

/** The extension that callers must declare; the name is that of the official conformance kit. */
export const requiredExtension = 'urn:a2a:tck:required-extension';

/** Answers only those who declare its extension, and promises an extended card that it does not have. */
export default defineAgent({
  name: 'Demanding agent',
  description: 'Wants its extension declared.',
  card: { capabilities: { extendedAgentCard: true, extensions: [{ uri: requiredExtension, required: true }] } },
  async *execute({ extensions }) {
    yield say(extensions.join(' '));
  },
});
