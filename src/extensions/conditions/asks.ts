import type { Message } from '../../core/model/a2a.ts';
import type { Ask } from '../../core/model/ask.ts';
import type { Call } from '../../core/model/call.ts';
import { answererOf } from '../../core/model/question.ts';
import type { PeopleConfig } from '../../gen/settings.ts';

/** Returns the ask of a policy or guard to the people in its configuration. */
export const askOf = (
  by: string,
  { of, until, otherwise, quorum, self, delegate }: PeopleConfig,
  reason: string | undefined,
): Ask => ({
  by,
  of,
  quorum,
  self,
  wait: until,
  otherwise,
  ...(reason !== undefined && { reason }),
  ...(delegate !== undefined && { delegate }),
});

/**
 * Whether the gateway itself makes this call to pass on a message to which people have agreed. It knows the caller by id only.
 */
export const isRelease = ({ request, context }: Call): boolean =>
  context.principal.byId === true &&
  answererOf((request as { readonly message?: Message }).message)?.releases !== undefined;
