import type { TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import type { PushNotificationConfig as LegacyPush } from '../../gen/a2a-0.1/types.ts';
import type { CodecContext } from '../kernel/codec.ts';

/** Authentication of a webhook as A2A 0.1 has it, with whatever else it says. */
type LegacyAuthentication = NonNullable<LegacyPush['authentication']>;

/** A push configuration in v1, and what v1 has no place for: further schemes, and members that only the peers know. */
export interface DecodedPush {
  readonly config: TaskPushNotificationConfig;
  readonly authentication?: LegacyAuthentication;
}

/**
 * A push configuration that was validated before. A task has one, so that its id is the task's.
 *
 * @param taskId '' where none is named
 */
export function decodePush({ url, token, authentication }: LegacyPush, taskId: string): DecodedPush {
  const config: TaskPushNotificationConfig = taskId ? { id: taskId, url } : { url };
  if (token) config.token = token;
  if (!authentication) return { config };
  const [scheme] = authentication.schemes;
  if (scheme) {
    const { credentials } = authentication;
    config.authentication = credentials ? { scheme, credentials } : { scheme };
  }
  const members = Object.entries(authentication).filter(([, value]) => value !== null);
  const isWhole = members.every(([key]) => key === 'schemes' || key === 'credentials');
  if (isWhole && scheme && authentication.schemes.length === 1) return { config };
  return { config, authentication: Object.fromEntries(members) as unknown as LegacyAuthentication };
}

/**
 * The inverse.
 *
 * @param at path of the configuration for losses, with its dot; '' at the root
 * @param taskId the task that the configuration is of, which is what A2A 0.1 calls it by
 * @param kept authentication as `decodePush` gave it
 */
export function encodePush(
  config: TaskPushNotificationConfig,
  cx: CodecContext,
  at: string,
  taskId: string | undefined,
  preserved?: LegacyAuthentication,
): LegacyPush {
  // Also where there is none: it is read back as the task's.
  if ((config.id || '') !== (taskId ?? '')) cx.unreported?.add(`${at}id`);
  if (config.tenant) cx.losses.add(`${at}tenant`);
  const { url, token, authentication } = config;
  const push: LegacyPush = token ? { url, token } : { url };
  if (preserved) push.authentication = preserved;
  else if (authentication) {
    const { scheme, credentials } = authentication;
    push.authentication = credentials ? { schemes: [scheme], credentials } : { schemes: [scheme] };
  }
  return push;
}
