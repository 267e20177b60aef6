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

/** Options that every command with a target has. */
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
    throw new UsageError(`--as: this version speaks ${known.join(', ')}`);
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
 * Connects, lets `use` work with the client, and closes it whatever happens. No guard judges where the card and its
 * redirects lead: the command acts for the person at the terminal, who may go there without it.
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

/** The options that reach the same target again, as they are typed. Credentials are left to the environment. */
export const targetFlags = ({ via, as }: TargetOptions): string =>
  [via && ` --via ${via}`, as && ` --as ${as}`].filter(Boolean).join('');
