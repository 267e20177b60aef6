import {
  allDialects,
  type BindingName,
  type Client,
  type ConnectOptions,
  connect,
  type DialectName,
} from '../client/index.ts';
import { UsageError } from './exit-code.ts';
import type { Output } from './output.ts';

/** Options of every command with a target. */
export interface TargetOptions {
  readonly via?: BindingName;
  readonly as?: DialectName;
  readonly apiKey?: string;
  readonly bearer?: string;
  readonly json?: boolean;
}

/** How to reach the target: what the options say, and the credentials of the environment. */
export function connectOptions(options: TargetOptions, env: NodeJS.ProcessEnv = process.env): ConnectOptions {
  if (options.as !== undefined && !allDialects().some(({ name }) => name === options.as)) {
    const known = allDialects().map(({ name }) => name);
    throw new UsageError(`--as: expected one of ${known.join(', ')}`);
  }
  const apiKey = options.apiKey ?? env.A2A_API_KEY;
  const bearer = options.bearer ?? env.A2A_BEARER;
  return {
    ...(options.via && { via: options.via }),
    ...(options.as && { as: options.as }),
    ...(apiKey && { apiKey }),
    ...(bearer && { bearer }),
  };
}

/**
 * Connects, runs `use` with the client, and closes it. No URL guard checks the card and its redirects: the user could fetch
 * the same URLs without the command.
 */
export async function withClient<T>(
  target: string,
  options: TargetOptions,
  output: Output,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(target, connectOptions(options));
  try {
    for (const line of client.notes) output.note(`note: ${line}`);
    return await use(client);
  } finally {
    output.clearProgress();
    await client.close();
  }
}

/** The options that reach the same target again, as typed. Credentials are left to the environment. */
export const targetFlags = ({ via, as }: TargetOptions): string =>
  [via && ` --via ${via}`, as && ` --as ${as}`].filter(Boolean).join('');
