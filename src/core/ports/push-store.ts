import type { ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { TaskOwner } from '../model/ids.ts';

export interface PushConfigPageRequest {
  /** Largest number of items. */
  readonly size: number;
  readonly token: string;
  /** Bytes of JSON that the page may have; it has at least one item. Default 8 MiB. */
  readonly bytes?: number;
}

export type PushConfigPage = Required<ListTaskPushNotificationConfigsResponse>;

/** The origin of a push configuration, and its bounds. */
export interface PushOrigin {
  /** Position after which events are delivered. Default: the task's last event. */
  readonly after?: number;
  /** Number of gateways that the call had passed. Default 0. */
  readonly hops?: number;
  /** Bounds of the number of configurations. Default: none. */
  readonly bounds?: WebhookBounds | undefined;
}

/** Bounds of the number of push configurations. Undefined, or infinity: any number. */
export interface WebhookBounds {
  /** Push configurations of one task. */
  readonly perTask: number | undefined;
  /** Push configurations of one principal that still have, or may get, events to deliver. */
  readonly perPrincipal: number | undefined;
}

/**
 * Dialect of the gateway's own webhooks, which notify receivers other than a task's owner. Callers do not see them,
 * they count towards no bound, and their credentials are in their configuration: the store has none.
 */
export const ownWebhooks = 'a2a-gateway';
/** Prefix of the ids of the gateway's own webhooks; callers cannot use it. */
export const ownWebhookPrefix = `${ownWebhooks}/`;

/** The bound that a further push configuration would exceed. */
export type WebhookExcess = keyof WebhookBounds;

/** A push configuration with undelivered events, leased by this replica until it reports the end. */
export interface Delivery {
  /** The task's key. */
  readonly key: string;
  readonly owner: TaskOwner;
  readonly config: TaskPushNotificationConfig & { readonly id: string };
  /** Name of the dialect in which it was created. */
  readonly dialect: string;
  /** Scheme, host and port of the URL. */
  readonly receiver: string;
  /** Position of the last event that was delivered or became a dead letter. */
  readonly cursor: number;
  /** Attempts so far for the next event. */
  readonly attempts: number;
  /** Milliseconds since the epoch: older events are treated as if they happened at this time. */
  readonly since: number;
  readonly hops: number;
  /** The `traceparent` of the call that opened the task. Absent: it had none. */
  readonly trace?: string;
  /** Number of this claim. */
  readonly lease: number;
}

/** The result of a delivery attempt. */
export interface DeliveryReport {
  readonly cursor: number;
  readonly attempts: number;
  /** Whether this replica keeps the lease. */
  readonly keep?: boolean;
  /** Milliseconds until the next attempt may start. */
  readonly delay?: number;
  /** Whether delivery has ended: the task has ended, or the receiver refuses further events. */
  readonly stop?: boolean;
  /** Reason why the attempt failed. */
  readonly failure?: string;
  /** Events from `seq` to `last` become dead letters, for the reason in `failure`. */
  readonly dead?: { readonly seq: number; readonly last: number };
}

/** Selects the deliveries to claim. */
export interface DeliveryQuery {
  /**
   * Keys of tasks: selects those that can be delivered now. `due`: those whose retry is due. `left`: those that were
   * never tried because their replica is dead or the event came from another replica.
   */
  readonly of: readonly string[] | 'due' | 'left';
  readonly limit: number;
  /** Principals and receivers whose deliveries are skipped. */
  readonly except: readonly PrincipalsReceiver[];
}

/** A receiver, as one principal's webhooks name it. */
export interface PrincipalsReceiver {
  readonly receiver: string;
  readonly principal: string;
}

/** Deliveries to webhooks: each configuration has a cursor in its task's log. Rejects as TaskStore does. */
export interface PushOutbox {
  /**
   * Calls `listener` with a task's key when it may have events to deliver, never before they are durable. `elsewhere`:
   * another replica wrote them and claims their deliveries itself, except those that this replica holds.
   */
  onPushed(listener: (key: string, elsewhere?: boolean) => void): void;
  /** Claims deliveries that no live replica holds. */
  claimDeliveries(query: DeliveryQuery): Promise<Delivery[]>;
  /**
   * Stores a report; it is durable when the promise resolves. False: the configuration is gone, or another replica took
   * over its delivery.
   */
  reportDelivery(delivery: Delivery, report: DeliveryReport): Promise<boolean>;
  /** Releases claims that this replica does not know of because the answer to its claim was lost. */
  releaseDeliveries(isHeld: (key: string, id: string, lease: number) => boolean): Promise<void>;
}
