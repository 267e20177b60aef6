import type { TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import type {
  PushNotificationAuthenticationInfo as Authentication,
  PushNotificationConfig,
  TaskPushNotificationConfig as WireTaskConfig,
} from '../../gen/a2a-0.3/types.ts';
import type { CodecContext } from '../kernel/codec.ts';

/** Push configurations. v1 has one scheme of authentication where A2A 0.3 has a list. */

/** What stands there of authentication, where v1 does not hold all of it. */
export const foreignAuthentication = ({ authentication }: PushNotificationConfig): Authentication | undefined =>
  authentication && (authentication.schemes.length !== 1 || authentication.schemes[0] === '')
    ? authentication
    : undefined;

/**
 * Notes what of a configuration is not kept once it is v1's: all schemes but the first. Not where the document itself is
 * converted, since it comes back then.
 *
 * @param at path of the configuration for losses, with its dot; '' at the root
 */
export function loseSchemes({ authentication }: PushNotificationConfig, cx: CodecContext, at: string): void {
  if (!cx.keepsOwn && authentication && authentication.schemes.length > 1) {
    cx.losses.add(`${at}authentication.scheme`);
  }
}

/** A configuration that was checked before. */
export function decodePushConfig(wire: PushNotificationConfig, taskId?: string): TaskPushNotificationConfig {
  const config: TaskPushNotificationConfig = { url: wire.url };
  const { id, token, authentication } = wire;
  if (taskId !== undefined) config.taskId = taskId;
  if (id) config.id = id;
  if (token) config.token = token;
  if (authentication) {
    const { schemes, credentials } = authentication;
    const [scheme] = schemes;
    // Without a scheme there is no authentication.
    if (scheme) config.authentication = credentials ? { scheme, credentials } : { scheme };
  }
  return config;
}

/**
 * A configuration as it is written.
 *
 * @param foreign what stood there of authentication, where v1 does not hold all of it
 */
export function encodePushConfig(config: TaskPushNotificationConfig, foreign?: Authentication): PushNotificationConfig {
  const wire: PushNotificationConfig = { url: config.url };
  const { id, token, authentication } = config;
  if (id !== undefined) wire.id = id;
  if (token !== undefined) wire.token = token;
  if (foreign) wire.authentication = foreign;
  else if (authentication) {
    const { scheme, credentials } = authentication;
    wire.authentication = credentials === undefined ? { schemes: [scheme] } : { schemes: [scheme], credentials };
  }
  return wire;
}

/** A configuration with the task that it hangs on. */
export const decodeTaskPushConfig = ({ taskId, pushNotificationConfig }: WireTaskConfig): TaskPushNotificationConfig =>
  decodePushConfig(pushNotificationConfig, taskId);

/** The inverse. */
export function encodeTaskPushConfig(
  config: TaskPushNotificationConfig,
  cx: CodecContext,
  foreign?: Authentication,
): WireTaskConfig {
  if (config.tenant !== undefined) cx.losses.add('tenant');
  return { taskId: config.taskId ?? '', pushNotificationConfig: encodePushConfig(config, foreign) };
}
