import { flag, oneOf, section } from '../schema-parts.ts';

/** What is logged. */
export interface LogConfig {
  /** The least severe level that is logged. */
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  /** Whether each request is logged, at level `info`. */
  readonly requests: boolean;
  /** Lines of JSON, or lines for people. `auto`: for people where stderr is a terminal. */
  readonly format: 'auto' | 'json' | 'text';
}

/** `log`: what is logged. */
export const log = section('the log', {
  level: oneOf('error', 'warn', 'info', 'debug').default('info'),
  requests: flag.default(false),
  format: oneOf('auto', 'json', 'text').default('auto'),
});
