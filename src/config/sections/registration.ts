import { schemaFacts } from '../schema-facts.ts';
import { flag, oneOf, section } from '../schema-parts.ts';

/** `registration`: agents that are registered at run time. */
export const registration = section('the registration of agents', () => ({
  allow: flag
    .prefault(false)
    .describe('Whether callers with the scope `agents` may register agents while the gateway runs.'),
  approve: oneOf('always', 'changes', 'never')
    .prefault('always')
    .describe(
      'Which cards wait until an operator approves them: `always` each new one, `changes` all but the first of an agent, `never` none.',
    ),
})).register(schemaFacts, { input: 'RegistrationSettings', output: 'RegistrationConfig' });
