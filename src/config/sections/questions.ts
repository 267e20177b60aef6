import * as z from 'zod';
import { noCaller, principalIdsNamed } from '../../auth/principals.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import type { Otherwise } from '../../core/model/question.ts';
import type { Secret } from '../../net/secret.ts';
import { isWebUrl } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { age, anything, duration, oneOf, section, text, textThat } from '../schema-parts.ts';
import { authorization, headerSecret } from './outbound-auth.ts';

const span = duration('a duration above zero, such as 1h or 7d', (ms) => ms > 0);

const webhook = section('a webhook', () => ({
  url: textThat('an http or https URL without user and fragment', isWebUrl)
    .register(schemaFacts, { secret: 'query' })
    .describe('The URL to which questions are sent. The guard of `outbound` applies.'),
  token: headerSecret('a token').optional().describe('Sent as `X-A2A-Notification-Token`. Default: none.'),
  authentication: authorization().describe('Sent as `Authorization`. Default: none.'),
  links: span.prefault('7d').describe('Time for which a link is valid, unless the question ends earlier.'),
})).register(schemaFacts, { input: 'QuestionWebhook' });

/** The schema of settings for agents' questions. */
export const questions = section('settings for questions', () => ({
  deadline: age
    .optional()
    .describe(
      'Time for which a question waits for an answer. For a single agent, `forever` removes the deadline. Default: `forever`.',
    ),
  otherwise: z
    .union(
      [
        oneOf('fail'),
        section('a default answer', () => ({
          answer: z
            .custom<unknown>((value) => value !== undefined, anything('an answer'))
            .register(schemaFacts, { type: 'unknown' })
            .describe('A string, or data that conforms to the schema of the question.'),
        })).register(schemaFacts, { input: 'DefaultAnswer' }),
      ],
      anything('"fail" or a mapping with answer'),
    )
    .optional()
    .describe(
      'Outcome if no answer arrives in time: the task fails (`fail`), or the agent receives the default answer. Default `fail`.',
    ),
  remind: span.optional().describe('Time after a question at which the gateway sends a reminder. Default: never.'),
  for: text('the name of a caller')
    .optional()
    .describe(
      'A caller with the scope `questions` who may answer in addition to the owner of the task. Default: none.',
    ),
  webhook: webhook
    .optional()
    .describe('The webhook that receives every question, with a link for the answer. Default: none.'),
})).register(schemaFacts, { input: 'QuestionsSettings' });

/** Settings for questions. Durations are in milliseconds. Infinity means forever. */
export interface QuestionsConfig {
  readonly deadline?: number | undefined;
  readonly otherwise?: Otherwise | undefined;
  readonly remind?: number | undefined;
  /** Name of the caller who may answer in addition to the owner. */
  readonly for?: string | undefined;
  readonly webhook?:
    | {
        readonly url: string;
        readonly token?: Secret | undefined;
        readonly authentication?: { readonly scheme: string; readonly credentials: Secret } | undefined;
        /** Milliseconds for which a link is valid. */
        readonly links: number;
      }
    | undefined;
}

/** Resolves an agent's settings, with the settings of all agents as defaults. Reports a caller that does not exist. */
export function resolveQuestions(
  all: QuestionsConfig | undefined,
  own: QuestionsConfig | undefined,
  auth: AuthSettings,
  { report }: ResolveContext,
): { questions?: QuestionsConfig } {
  const name = own?.for;
  if (name !== undefined) requireCaller(name, auth, report);
  return all || own ? { questions: { ...all, ...own } } : {};
}

/** Reports a name that matches no possible caller. */
export function requireCaller(name: string, auth: AuthSettings, report: ResolveContext['report']): void {
  if (principalIdsNamed(auth, name).length > 0) return;
  report(['for'], noCaller(name));
}
