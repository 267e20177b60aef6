import { createServer } from 'node:http';
import { connect, type Message, type StreamResponse } from '../../../src/index.ts';
import { openGateway } from '../../support/gateway.ts';
import { bodyOf, listenOn } from '../../support/peer.ts';
import { type Scenario, scenarios, type Traversal, traversalOf } from './scenarios.ts';
import { type InstructionType, loadInstruction, type SdkName, sdkNames, startAgent } from './suite.ts';

/** The result of a scenario. */
export interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly detail: string;
}

/** The ways in which the agents reach each other. */
export type Row = 'direct' | 'gateway';

export const rows: readonly Row[] = ['direct', 'gateway'];

/** Milliseconds for one scenario. */
const timeoutMs = 60_000;

/** A webhook for all agents: the texts of the notifications. */
async function openWebhook() {
  let texts: string[] = [];
  const server = createServer(async (req, res) => {
    texts.push(...textsIn(JSON.parse(await bodyOf(req))));
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"received"}');
  });
  const { origin, close } = await listenOn(server);
  return {
    url: origin,
    close,
    forget(): void {
      texts = [];
    },
    /** The states that no notification has had. */
    missing: (states: readonly string[]): string[] =>
      states.filter((state) => !texts.some((one) => one.includes(state))),
  };
}

/** Every text of a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'text' && typeof each === 'string' ? [each] : textsIn(each),
  );
}

/** Runs the scenarios between the agents themselves, or each of them behind a gateway. @param only a part of the names */
export async function runRow(row: Row, only = ''): Promise<Result[]> {
  const closing: (() => Promise<void>)[] = [];
  const urls = new Map<SdkName, string>();
  const results: Result[] = [];
  try {
    const webhook = await openWebhook();
    closing.push(webhook.close);
    for (const name of sdkNames) {
      const agent = await startAgent(name);
      closing.push(agent.close);
      urls.set(name, agent.url);
      if (row === 'direct') continue;
      const gateway = await openGateway(`agents:\n  itk: { kind: upstream, url: "${agent.url}" }\n`);
      closing.push(gateway.close);
      urls.set(name, gateway.origin);
    }
    const Instruction = await loadInstruction();
    const urlOf = (name: SdkName): string => urls.get(name) as string;
    for (const scenario of scenarios.filter(({ name }) => name.includes(only))) {
      webhook.forget();
      results.push(await runScenario(scenario, Instruction, urlOf, webhook));
    }
    return results;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

type Webhook = Awaited<ReturnType<typeof openWebhook>>;

async function runScenario(
  scenario: Scenario,
  Instruction: InstructionType,
  urlOf: (name: SdkName) => string,
  webhook: Webhook,
): Promise<Result> {
  const { name, behavior, circuit } = scenario;
  const traversal = traversalOf(scenario, Instruction, urlOf, webhook.url);
  try {
    const text = await answerOf(scenario, traversal, urlOf(circuit[0] as SdkName), webhook.url);
    const missing = traversal.tokens.filter((token) => !text.includes(token));
    if (missing.length > 0) return { name, passed: false, detail: `the answer has no ${missing}: ${text}` };
    const unseen = behavior === 'push_notification' ? await awaited(webhook, traversal.states) : [];
    return { name, passed: unseen.length === 0, detail: unseen.length > 0 ? `no notification of ${unseen}` : '' };
  } catch (thrown) {
    return { name, passed: false, detail: String(thrown) };
  }
}

/** The states that no notification has had when there was time enough. */
async function awaited(webhook: Webhook, states: readonly string[]): Promise<string[]> {
  const late = Date.now() + 15_000;
  while (webhook.missing(states).length > 0 && Date.now() < late)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return webhook.missing(states);
}

/** All that the first agent says. It is called over JSON-RPC, as by the kit. */
async function answerOf(
  { behavior, isStreaming }: Scenario,
  { instruction, tokens }: Traversal,
  url: string,
  webhook: string,
): Promise<string> {
  const client = await connect(url, { via: 'jsonrpc' });
  const signal = AbortSignal.timeout(timeoutMs);
  const part = {
    raw: Buffer.from(instruction).toString('base64'),
    filename: 'instruction.bin',
    mediaType: 'application/x-protobuf',
  };
  const message: Message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] };
  const config = { url: `${webhook}/notifications`, token: 'itk-token', id: '', taskId: '', tenant: '' };
  const configuration = behavior === 'push_notification' ? { taskPushNotificationConfig: config } : {};
  try {
    if (!isStreaming) return textOf(await client.sendMessage({ message, configuration }, { signal }));
    let text = '';
    for await (const event of client.stream('SendStreamingMessage', { message, configuration }, { signal })) {
      text += textOf(event);
      // A task that is held goes on working.
      if (tokens.every((token) => text.includes(token))) break;
    }
    return text;
  } finally {
    await client.close();
  }
}

const textOf = (value: StreamResponse | object): string => `${textsIn(value).join('\n')}\n`;
