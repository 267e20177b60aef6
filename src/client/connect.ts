import type { AgentCard } from '../core/model/a2a.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import { createHttpClient, type HttpClient } from '../net/http-client.ts';
import {
  addressOf,
  explicitChoice,
  type InterfaceChoice,
  type InterfacePreferences,
  parseTarget,
  worksWithoutCard,
} from './choose.ts';
import { type Client, createClient } from './client.ts';
import { type Credentials, credentialHeaders, hasCredentials, mayShare } from './credentials.ts';
import { decide } from './decide.ts';
import { allDialects } from './dialects.ts';
import { openInterface } from './open.ts';
import type { ProbeOptions } from './probe/index.ts';
import { type FoundCard, readCard } from './read-card.ts';

/** How to reach an agent. */
export interface ConnectOptions
  extends Credentials,
    InterfacePreferences,
    Pick<ProbeOptions, 'trustedHosts' | 'dialects' | 'http'> {
  /** Cancels reading the card. Calls have signals of their own. */
  readonly signal?: AbortSignal;
  /** Milliseconds to read the card. Default 15,000. */
  readonly cardTimeout?: number;
  /** Milliseconds that an answer, or the beginning of a stream, may take. Default 330,000. */
  readonly timeout?: number;
  /** Refuse requests that the agent's dialect cannot express completely, instead of dropping fields. Default false. */
  readonly strict?: boolean;
}

/**
 * Reads an agent's card, of any generation.
 *
 * @param target the agent's base URL or the URL of its card
 * @throws A2AError when it cannot be reached, has no card, or has one that cannot be read
 */
export async function discover(target: string, options: ConnectOptions = {}): Promise<FoundCard> {
  const url = parseTarget(target);
  const http = options.http ?? createHttpClient();
  const all = options.dialects ?? allDialects();
  const dialects = options.as === undefined ? all : all.filter(({ name }) => name === options.as);
  if (dialects.length === 0) throw A2AError.invalidParams(`${options.as} is not spoken by this version`);
  const signal = options.signal ?? new AbortController().signal;
  try {
    return await readCard(url, {
      http,
      dialects,
      headers: credentialHeaders(options),
      signal,
      timeout: options.cardTimeout ?? 15_000,
    });
  } finally {
    if (options.http === undefined) http.close();
  }
}

/**
 * Connects to an agent: reads its card, chooses the first interface of it that this version can call, and returns an
 * object to call it with. It goes wherever the target, its redirects and its card lead, on the network of this machine
 * too: a service whose targets others choose gives a pool with a guard. Where several generations may have written the
 * card, the agent is asked for a task that there cannot be, to see how it understands that; nothing else is sent until
 * the first call. Where both binding and generation are told, an agent without a card will do: then the target is what
 * is called.
 *
 * ```ts
 * const agent = await connect('http://localhost:8080');
 * const { task } = await agent.send('hello');
 * await agent.close();
 * ```
 *
 * @param target the agent's base URL or the URL of its card
 * @throws A2AError when it cannot be reached, has no card, or offers nothing that can be called
 */
export async function connect(target: string, options: ConnectOptions = {}): Promise<Client> {
  const http = options.http ?? createHttpClient();
  try {
    const dialects = options.dialects ?? allDialects();
    const { choice, card, document, at } = await find(target, { ...options, http, dialects });
    const url = addressOf(choice, at);

    const shown = mayShare(parseTarget(target), url, options.trustedHosts);
    const opened = await openInterface(choice, {
      url: url.href,
      http,
      headers: shown ? credentialHeaders(options, card) : () => ({}),
      timeout: options.timeout ?? 330_000,
      strict: options.strict ?? false,
      card: () => card,
    });
    return createClient({
      card,
      document,
      binding: choice.binding.name,
      dialect: choice.dialect.name,
      interface: choice.interface,
      notes:
        shown || !hasCredentials(options) ? [] : [`credentials are held back from ${url.host}, which the card names`],
      invoke: opened.invoke,
      close: async () => {
        await opened.close();
        if (options.http === undefined) http.close();
      },
    });
  } catch (error) {
    if (options.http === undefined) http.close();
    throw error;
  }
}

/** How to call an agent, its card, and the URL that it is at. */
async function find(
  target: string,
  options: ConnectOptions & { readonly http: HttpClient; readonly dialects: readonly Dialect[] },
): Promise<{ choice: InterfaceChoice; card: AgentCard; document: unknown; at: string }> {
  const { as, via, dialects } = options;
  let found: FoundCard;
  try {
    found = await discover(target, options);
  } catch (thrown) {
    const error = A2AError.from(thrown);
    const url = parseTarget(target);
    if (as === undefined || via === undefined || !worksWithoutCard(error, via, url)) throw error;
    const choice = explicitChoice(as, via, url, dialects);
    return { choice, card: unknownCard(url, choice), document: undefined, at: url.href };
  }
  const { choice, reading } = await decide(target, found, options);
  return { choice, card: reading.card, document: found.document, at: found.url };
}

/** What stands in for the card of an agent that has none. */
const unknownCard = ({ host }: URL, choice: InterfaceChoice): AgentCard => ({
  name: host,
  description: 'An agent without a card',
  version: '',
  supportedInterfaces: [choice.interface],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
});
