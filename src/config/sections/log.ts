import { schemaFacts } from '../schema-facts.ts';
import { flag, oneOf, section } from '../schema-parts.ts';

/** `log`: what is logged. */
export const log = section('the log', () => ({
  level: oneOf('error', 'warn', 'info', 'debug').prefault('info').describe('The least severe level that is logged.'),
  requests: flag.prefault(false).describe('Whether each request is logged, at level `info`.'),
  format: oneOf('auto', 'json', 'text')
    .prefault('auto')
    .describe('Lines of JSON, or lines for people. `auto`: for people where stderr is a terminal.'),
})).register(schemaFacts, { input: 'LogSettings', output: 'LogConfig' });
