import type { TaskPushNotificationConfig } from '../model/a2a.ts';
import type { TaskOwner } from '../model/ids.ts';

/** A part of a list of push configurations. */
export interface PushConfigPageRequest {
  /** At most so many. */
  readonly size: number;
  readonly token: string;
  /** The page ends before it has more bytes of JSON than that, but not before its first item. Default 8 MiB. */
  readonly bytes?: number;
}

export interface PushConfigPage {
  readonly configs: readonly TaskPushNotificationConfig[];
  readonly nextPageToken: string;
}

/** Where a push configuration comes from. */
export interface PushOrigin {
  /** Position of the last event that is not delivered. Default: the task's last one. */
  readonly after?: number;
  /** How many gateways the call had passed. Default 0. */
  readonly hops?: number;
  /** Default: any number. */
  readonly bounds?: WebhookBounds | undefined;
}

/** How many push configurations there may be. Undefined: any number. */
export interface WebhookBounds {
  /** Of one task. */
  readonly perTask: number | undefined;
  /** Of one principal: those that still have something to deliver, or may have. */
  readonly perPrincipal: number | undefined;
}

/** The bound that a further push configuration would exceed. */
export type WebhookExcess = keyof WebhookBounds;

/** A push configuration whose task has events for it, in this gateway's hands until it reports that it lets it go. */
export interface Delivery {
  /** The task's key. */
  readonly key: string;
  readonly owner: TaskOwner;
  readonly config: TaskPushNotificationConfig & { readonly id: string };
  /** Name of the dialect that made it. */
  readonly dialect: string;
  /** Scheme, host and port of the URL. */
  readonly receiver: string;
  /** Position of the last event that was delivered, or given up. */
  readonly cursor: number;
  /** How often the next event was tried. */
  readonly attempts: number;
  /** Milliseconds: events of before count as if they were of then. */
  readonly since: number;
  readonly hops: number;
  /** What tells this claim from any other. */
  readonly lease: number;
}

/** What became of a delivery. */
export interface DeliveryReport {
  readonly cursor: number;
  readonly attempts: number;
  /** Whether this gateway goes on with it. */
  readonly keep?: boolean;
  /** Milliseconds until the next attempt may begin. */
  readonly delay?: number;
  /** Whether nothing is to be delivered any more: the task is over, or the receiver wants no more. */
  readonly stop?: boolean;
  /** What went wrong. */
  readonly failure?: string;
  /** Events that are given up, from `seq` to `last`, for the reason in `failure`. */
  readonly dead?: { readonly seq: number; readonly last: number };
}

/** Which deliveries are asked for. */
export interface DeliveryQuery {
  /**
   * Of these tasks, those that can be delivered now; or `due`, those that were tried and may be tried again; or `left`,
   * those that were never tried, which nobody knows of whose gateway is dead, or whose event came from elsewhere.
   */
  readonly of: readonly string[] | 'due' | 'left';
  readonly limit: number;
  /** Receivers whose deliveries are left alone. */
  readonly except: readonly string[];
}

/**
 * What is to be delivered to webhooks. The logs are the outbox: a configuration knows how far in its task's log it has
 * come. Every method rejects with A2AError `unavailable` when the database is.
 */
export interface PushOutbox {
  /**
   * Calls `listener` with a task's key when something may be to be delivered of it: never before it is durable.
   * `elsewhere`: another gateway wrote it, which looks for deliveries itself; it cannot take those that are held here.
   */
  onPushed(listener: (key: string, elsewhere?: boolean) => void): void;
  /** Makes deliveries this gateway's that are nobody's, or a dead gateway's. */
  claimDeliveries(query: DeliveryQuery): Promise<Delivery[]>;
  /**
   * Durable when it resolves. False when the delivery is not this gateway's any more: its configuration was deleted or
   * replaced, or another gateway took it over.
   */
  reportDelivery(delivery: Delivery, report: DeliveryReport): Promise<boolean>;
  /** Lets go of what this gateway claimed without having been told, as when the answer was lost on its way. */
  releaseDeliveries(isHeld: (key: string, id: string, lease: number) => boolean): Promise<void>;
}
