import { createHmac } from 'node:crypto';
import { type Answer, type Notification, type Receiver, startReceiver } from '../push/receiver.ts';
import { afterTest } from './peer.ts';

/** A message as it is shown in a channel: with its blocks, in the form of Slack's Block Kit. */
export interface ShownMessage {
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks into
  readonly blocks: readonly any[];
}

/** What differs from an honest click of the person U0ALICE in the workspace T0HOME. */
export interface ClickOptions {
  readonly user?: string;
  readonly team?: string;
  /** The value of the button. Default: as the message has it. */
  readonly value?: string;
  readonly secret?: string;
  /** Milliseconds since the epoch at which Slack signs. */
  readonly at?: number;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
  readonly responseUrl?: string;
}

/** A request as Slack sends it. */
export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5';

/** Signs a body, as https://docs.slack.dev/authentication/verifying-requests-from-slack says. */
export function signed(body: string, { secret = signingSecret, at = Date.now() }: ClickOptions = {}): SignedRequest {
  const timestamp = String(Math.floor(at / 1_000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  const type = 'application/x-www-form-urlencoded';
  const signature = `v0=${digest}`;
  return {
    body,
    headers: { 'content-type': type, 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature },
  };
}

/** Buttons of a message, by their texts. */
export const buttonsOf = ({ blocks }: ShownMessage): Record<string, string> =>
  Object.fromEntries(
    blocks.flatMap(({ elements = [] }) =>
      elements.flatMap((one: { type: string; text: { text: string }; value: string }) =>
        one.type === 'button' ? [[one.text.text, one.value]] : [],
      ),
    ),
  );

/** All texts of a message. */
export const textsOf = ({ blocks }: ShownMessage): string =>
  blocks
    .flatMap(({ text, elements = [] }) => [text?.text, ...elements.map((one: { text: unknown }) => one.text)])
    .filter((text) => typeof text === 'string')
    .join('\n');

const clickPath = '/actions/T0HOME/';

/** Slack, as far as an app with an incoming webhook and interactive messages sees it. */
export interface FakeSlack {
  /** The URL of the incoming webhook. */
  readonly webhook: string;
  readonly receiver: Receiver;
  /** The messages in the channel, in their order. */
  messages(): readonly ShownMessage[];
  /** Resolves with the message at this place of the channel, when it is there. */
  message(at?: number): Promise<ShownMessage>;
  /** The request about a click on a button of a message, with the URL that gets the outcome. */
  request(message: ShownMessage, label: string, options?: ClickOptions): SignedRequest & { readonly click: string };
  /** Clicks: resolves with the answer of the gateway, and with what it sent to the URL for the outcome. */
  click(
    gateway: string,
    message: ShownMessage,
    label: string,
    options?: ClickOptions,
  ): Promise<{ readonly status: number; readonly body: string; readonly outcome: Notification['body'] }>;
  /** What came to the URL of a click. */
  outcomeOf(click: string): Promise<Notification['body']>;
}

/**
 * Starts Slack on loopback.
 *
 * @param answer to messages and outcomes. Default: 200
 */
export async function startSlack(answer?: (notification: Notification, before: number) => Answer): Promise<FakeSlack> {
  const receiver = await startReceiver(answer ?? (() => 200));
  afterTest(() => receiver.close());
  let clicks = 0;
  const webhook = `${receiver.url}/services/T0HOME/B0APP/secretOfTheWebhook`;
  const isMessage = ({ path }: Notification): boolean => webhook.endsWith(path);
  const slack: FakeSlack = {
    webhook,
    receiver,
    messages: () => receiver.got.filter(isMessage).map(({ body }) => body),
    async message(at = 0) {
      const got = await receiver.until((all) => all.filter(isMessage).length > at);
      return got.filter(isMessage)[at]?.body;
    },
    request(message, label, options = {}) {
      const { user = 'U0ALICE', team = 'T0HOME', tamper = (body) => body } = options;
      clicks += 1;
      const click = `${clickPath}${clicks}`;
      const value = options.value ?? buttonsOf(message)[label];
      // Its members, as https://docs.slack.dev/reference/interaction-payloads/block_actions-payload lists them.
      const payload = {
        type: 'block_actions',
        user: { id: user, username: 'someone', name: 'someone', team_id: team },
        api_app_id: 'A0APP',
        token: 'no longer used',
        container: { type: 'message', message_ts: '1760000000.000100', channel_id: 'C0OPS', is_ephemeral: false },
        trigger_id: '1.2.3',
        team: { id: team, domain: 'example' },
        channel: { id: 'C0OPS', name: 'ops' },
        message: { type: 'message', subtype: 'bot_message', ts: '1760000000.000100', bot_id: 'B0APP', ...message },
        response_url: options.responseUrl ?? `${receiver.url}${click}`,
        actions: [
          { action_id: 'choice-0', block_id: 'x', type: 'button', text: { text: label }, value, action_ts: '1.2' },
        ],
      };
      const { body, headers } = signed(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), options);
      return { body: tamper(body), headers, click };
    },
    async click(gateway, message, label, options) {
      const { click, ...request } = slack.request(message, label, options);
      const response = await post(gateway, request);
      const body = await response.text();
      return { status: response.status, body, outcome: response.ok ? await slack.outcomeOf(click) : undefined };
    },
    async outcomeOf(click) {
      const isIt = ({ path }: Notification): boolean => path === click;
      return (await receiver.until((all) => all.some(isIt))).find(isIt)?.body;
    },
  };
  return slack;
}

/** Posts a request of Slack to a gateway. */
export const post = (gateway: string, request: SignedRequest): Promise<Response> =>
  fetch(`${gateway}/approvals/slack`, { method: 'POST', body: request.body, headers: request.headers });
