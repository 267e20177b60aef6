import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { rolldown } from 'rolldown';
import type { Message, Part, StreamResponse } from '../../../../src/core/model/a2a.ts';
import { listenOn } from '../../../support/peer.ts';
import { behave } from '../behaviors.ts';

/** An agent of A2A 0.1 behind the server of `samples/js`, which came with that version of the specification. */

/** The part of the server that is used here. */
interface Server {
  endpoint(): express.RequestHandler;
}

interface Context {
  readonly task: {
    readonly id: string;
    readonly sessionId?: string | null;
    readonly status: { readonly state: string };
  };
  readonly userMessage: { readonly parts: readonly { readonly text?: string }[] };
  readonly history?: readonly { readonly role: string }[];
  isCancelled(): boolean;
}

type ServerClass = new (handler: (context: Context) => AsyncGenerator<unknown>, options: { card: object }) => Server;

/** Loads the server from a checkout of the specification's repository at that time. @param folder for the bundle */
async function loadServer(sources: string, folder: string): Promise<ServerClass> {
  const file = join(folder, 'server-0.1.mjs');
  const build = await rolldown({
    input: join(sources, 'samples/js/src/server/index.ts'),
    platform: 'node',
    // Its packages are those of this checkout.
    resolve: { modules: [join(import.meta.dirname, '../../../../node_modules')] },
    logLevel: 'silent',
  });
  // It prints a line for each event.
  await build.write({ file, format: 'esm', banner: 'const console = { log() {}, warn() {}, error() {} };' });
  await build.close();
  return (await import(pathToFileURL(file).href)).A2AServer;
}

/** Starts the agent. */
export async function startSample(sources: string, folder: string) {
  const A2AServer = await loadServer(sources, folder);
  /** Ends the work on tasks that were not canceled. */
  const closed = new AbortController();
  const card = {
    name: 'Sample agent',
    description: 'The agent that ACTS expects.',
    url: '',
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    skills: [{ id: 'acts', name: 'ACTS' }],
  };
  const app = express();
  app.use(express.json());
  app.get('/.well-known/agent.json', (_, res) => void res.json(card));
  app.post('/', new A2AServer((context) => handle(context, closed.signal), { card }).endpoint());
  const { origin, close } = await listenOn(createServer(app));
  card.url = `${origin}/`;
  return {
    url: origin,
    close() {
      closed.abort();
      return close();
    },
  };
}

/** Milliseconds between two looks at whether the task is canceled, which the server does not tell by itself. */
const look = 20;

async function* handle(
  { task, userMessage, history = [], isCancelled }: Context,
  closed: AbortSignal,
): AsyncGenerator<unknown> {
  const text = userMessage.parts.find((part) => part.text !== undefined)?.text ?? '';
  const message: Message = { messageId: '', role: 'ROLE_USER', parts: [{ text }] };
  const events: StreamResponse[] = [];
  const isFirst = !history.some(({ role }) => role === 'agent') && history.length <= 1;
  const turn = { taskId: task.id, contextId: '', message, before: isFirst ? undefined : task };
  let isOver = false;
  const wait = async (): Promise<'stopped'> => {
    while (!isCancelled() && !closed.aborted) await new Promise((resolve) => setTimeout(resolve, look));
    return 'stopped';
  };
  const running = behave(turn, (event) => void events.push(event), { wait }).finally(() => {
    isOver = true;
  });
  for (;;) {
    const ended = isOver;
    for (const event of events.splice(0)) yield* updatesOf(event);
    if (ended) break;
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, look))]);
  }
}

/** An event as the server takes it: A2A 0.1 has no messages besides tasks, so a direct message completes its task. */
function* updatesOf({ message, statusUpdate, artifactUpdate }: StreamResponse): Generator<unknown> {
  if (message) yield { state: 'completed', message: agentMessage(message) };
  if (statusUpdate) {
    const { state, message: said } = statusUpdate.status;
    yield { state: stateOf(state), ...(said && { message: agentMessage(said) }) };
  }
  if (artifactUpdate) {
    const { artifact, append, lastChunk } = artifactUpdate;
    const flags = { ...(append !== undefined && { append }), ...(lastChunk !== undefined && { lastChunk }) };
    yield { name: artifact.artifactId, index: 0, parts: artifact.parts.map(partOf), ...flags };
  }
}

const agentMessage = ({ parts }: Message): object => ({ role: 'agent', parts: parts.map(partOf) });

/** A2A 0.1 has neither REJECTED nor AUTH_REQUIRED. */
const stateOf = (state: string): string => {
  const name = state.replace('TASK_STATE_', '').toLowerCase().replace('_', '-');
  return name === 'rejected' ? 'failed' : name === 'auth-required' ? 'input-required' : name;
};

function partOf({ text, data, raw, url, filename, mediaType }: Part): object {
  if (text !== undefined) return { type: 'text', text };
  if (data !== undefined) return { type: 'data', data };
  return {
    type: 'file',
    file: { name: filename, mimeType: mediaType, ...(raw === undefined ? { uri: url } : { bytes: raw }) },
  };
}
