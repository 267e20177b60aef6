import * as z from 'zod';
import { noCaller, principalIdsNamed } from '../../auth/principals.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import type { ApprovalsConfig } from '../../gen/settings.ts';
import { isLoopbackHost, isWebUrl } from '../addresses.ts';
import type { ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, secretOf, section, text, textThat } from '../schema-parts.ts';

const expectedUser = 'the id of a Slack user, such as U0123ABCD, which the profile in Slack shows';

/**
 * Whether a text is the URL of a webhook. Plain http is accepted only for loopback hosts, because a reader of the URL
 * can post to the channel.
 */
function isWebhook(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && isWebUrl(value) && (url.protocol === 'https:' || isLoopbackHost(url.hostname));
}

const slack = section('settings for Slack', () => ({
  webhook: secretOf(textThat('the https URL of an incoming webhook, without user and fragment', isWebhook)).describe(
    'The URL of an incoming webhook of a Slack app, which receives every ask and every question. The URL is a secret. The guard of `outbound` applies.',
  ),
  signingSecret: secretOf(text('the signing secret of a Slack app')).describe(
    'The signing secret of the Slack app, which authenticates its requests to `POST /approvals/slack`.',
  ),
  users: z
    .record(z.string(), text('the name of a caller'), anything('ids of Slack users with names of callers'))
    .prefault({})
    .describe('The callers on whose behalf Slack users decide, by the ids of the Slack users.'),
  team: textThat('the id of a Slack workspace, such as T0123ABCD', (value) => /^[TE][A-Z0-9]+$/.test(value))
    .optional()
    .describe(
      'The only workspace from which decisions are accepted. Default: every workspace in which the app is installed.',
    ),
})).register(schemaFacts, { input: 'SlackSettings', output: 'SlackConfig' });

/** `approvals`: services in which people are asked and make decisions. */
export const approvals = section('ways to ask people', () => ({
  slack: slack.optional().describe('Slack, in which messages with buttons ask people. Default: none.'),
})).register(schemaFacts, { input: 'ApprovalsSettings', output: 'ApprovalsConfig' });

/** Reports ids that are not ids of Slack users, and names that match no caller or several. */
export function checkApprovals(given: ApprovalsConfig | undefined, auth: AuthSettings, report: ReportProblem): void {
  for (const [id, name] of Object.entries(given?.slack?.users ?? {})) {
    const path = ['slack', 'users', id];
    if (!/^[UW][A-Z0-9]+$/.test(id)) report(path, `expected ${expectedUser}, instead of "${id}"`);
    const principals = principalIdsNamed(auth, name);
    if (principals.length === 0) report(path, noCaller(name));
    else if (principals.length > 1 || name.endsWith('*'))
      report(path, `"${name}" stands for several callers; expected the id of one, such as ${principals[0]}`);
  }
}
