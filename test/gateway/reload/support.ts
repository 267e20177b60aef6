import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKey } from '../../../src/auth/hash.ts';
import { type Config, loadConfig } from '../../../src/config/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import type { ReloadReport } from '../../../src/gateway/process/state.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that can be read. */
export function recordedLog(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields: fields as LogLine['fields'], message });
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

export interface Reloading {
  readonly gateway: Gateway;
  readonly url: string;
  readonly port: number;
  readonly lines: LogLine[];
  /** Folder of the configuration file. */
  readonly folder: string;
  /** Writes a file beside the configuration. */
  write(name: string, text: string): void;
  /** Writes the configuration anew, and has it read as SIGHUP does. */
  reload(text: string): Promise<ReloadReport>;
}

/** A gateway in this process with a configuration file of its own. */
export async function startReloading(
  text: string,
  { files = {}, agents = {} }: { files?: Readonly<Record<string, string>>; agents?: Record<string, Agent> } = {},
): Promise<Reloading> {
  const folder = newFolder();
  const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);
  for (const [name, content] of Object.entries(files)) write(name, content);
  const file = join(folder, 'gateway.yaml');
  const read = (content: string): Promise<Config> => {
    writeFileSync(file, content);
    return loadConfig(file, { port: 0 });
  };
  const { logger, lines } = recordedLog();
  const { gateway, url, port } = await openGateway(await read(text), { logger, agents });
  afterTest(() => gateway.close({ drainMs: 0 }));
  return { gateway, url, port, lines, folder, write, reload: async (next) => gateway.reload(await read(next)) };
}

/** Keys by the names of their holders, with the lines that let them in. */
export function keysOf(...names: readonly string[]) {
  const made = new Map(names.map((name) => [name, newKey()]));
  return {
    key: (name: string): string => made.get(name)?.key ?? '',
    line: (name: string, more = ''): string => `{ name: ${name}, hash: "${made.get(name)?.hash}"${more} }`,
  };
}

const v1 = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };

export const sending = (text: string): object => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] },
});

/** Calls of HTTP+JSON, perhaps with a key. */
export function caller(url: string, key?: string) {
  const headers = { ...v1, ...(key !== undefined && { 'X-Api-Key': key }) };
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return {
    post,
    get: (path: string): Promise<Response> => fetch(url + path, { headers }),
    send: (text: string, base = ''): Promise<Response> => post(`${base}/message:send`, sending(text)),
    stream: async (text: string, base = ''): Promise<Streaming> =>
      follow(await post(`${base}/message:stream`, sending(text))),
  };
}

export interface Streaming {
  readonly status: number;
  /** Text received so far. */
  readonly text: () => string;
  readonly over: Promise<string>;
  /** Resolves when the text holds this; rejects when the stream ends without. */
  until(said: string): Promise<void>;
}

function follow(response: Response): Streaming {
  let text = '';
  let ended = false;
  const over = (async () => {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString();
    ended = true;
    return text;
  })();
  over.catch(() => {
    ended = true;
  });
  return {
    status: response.status,
    text: () => text,
    over,
    async until(said) {
      while (!text.includes(said)) {
        if (ended) throw new Error(`the stream ended: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

/** The id of the task that a stream is about. */
export const taskIn = (text: string): string => /"task":\{"id":"([^"]+)"/.exec(text)?.[1] ?? '';
