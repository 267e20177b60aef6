import { flag, oneOf, section } from '../schema-parts.ts';

/** `log`: what is logged. */
export const log = section('the log', {
  /** The least severe level that is logged. */
  level: oneOf('error', 'warn', 'info', 'debug').default('info'),
  /** Whether each request is logged, at level `info`. */
  requests: flag.default(false),
});
