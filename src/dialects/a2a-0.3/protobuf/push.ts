import type { TaskPushNotificationConfig } from '../../../core/model/a2a.ts';
import type {
  PushNotificationConfig as WireConfig,
  TaskPushNotificationConfig as WireTaskConfig,
} from '../../../gen/a2a-v0_3/types.ts';
import type { CodecContext, DecodedRequest } from '../../kernel/codec.ts';
import { missing } from './messages.ts';
import { configIdsIn, configName } from './names.ts';

/** Push configurations in the protobuf shape. v1 has one scheme of authentication where A2A 0.3 has a list. */

/** What a request says of authentication, where v1 does not hold all of it. */
export function keptOf(wire: WireConfig | undefined): Pick<DecodedRequest, 'preserved'> {
  const authentication = wire?.authentication;
  if (!authentication || (authentication.schemes?.length === 1 && authentication.schemes[0] !== '')) return {};
  return { preserved: { authentication } };
}

/**
 * A canonical configuration.
 *
 * @param at path of the configuration within the request, with its dot
 * @throws A2AError `invalidParams` when it has no URL
 */
export function decodePushConfig(wire: WireConfig | undefined, at: string): TaskPushNotificationConfig {
  if (!wire?.url) throw missing(`${at}url`);
  const { id, url, token, authentication } = wire;
  const config: TaskPushNotificationConfig = { url };
  if (id) config.id = id;
  if (token) config.token = token;
  // Without a scheme there is no authentication.
  const scheme = authentication?.schemes?.[0];
  if (scheme) {
    config.authentication = authentication.credentials
      ? { scheme, credentials: authentication.credentials }
      : { scheme };
  }
  return config;
}

/**
 * A configuration as it is written.
 *
 * @param kept what `keptOf` kept
 */
export function encodePushConfig(
  config: TaskPushNotificationConfig,
  preserved?: DecodedRequest['preserved'],
): WireConfig {
  const { id, url, token, authentication } = config;
  const wire: WireConfig = {};
  if (id) wire.id = id;
  wire.url = url;
  if (token) wire.token = token;
  if (preserved?.authentication) wire.authentication = preserved.authentication;
  else if (authentication) {
    const { scheme, credentials } = authentication;
    wire.authentication = credentials ? { schemes: [scheme], credentials } : { schemes: [scheme] };
  }
  return wire;
}

/**
 * A canonical configuration with the task that it hangs on. Names without an id are those of servers that gave none.
 *
 * @throws A2AError `invalidParams` for a name that is none, or when there is no URL
 */
export function decodeTaskConfig(wire: WireTaskConfig, cx: CodecContext): TaskPushNotificationConfig {
  const config = decodePushConfig(wire.pushNotificationConfig, 'pushNotificationConfig.');
  const named = wire.name ? configIdsIn(wire.name, 'name') : undefined;
  const taskId = named?.taskId ?? cx.taskId;
  const id = config.id ?? named?.id;
  return { ...config, ...(taskId !== undefined && { taskId }), ...(id !== undefined && { id }) };
}

/** The inverse. */
export function encodeTaskConfig(
  config: TaskPushNotificationConfig,
  cx: CodecContext,
  preserved?: DecodedRequest['preserved'],
): WireTaskConfig {
  if (config.tenant) cx.losses.add('tenant');
  const { taskId = '', id = '' } = config;
  return { name: configName(taskId, id), pushNotificationConfig: encodePushConfig(config, preserved) };
}
