import { operations } from '../../gen/admin-v1/operations.ts';
import type { Host, OpeningHost } from '../host.ts';
import type { Module, ModuleService, OpenModule } from '../module.ts';
import type { Presence, PresenceStore } from './presence.ts';

/** The gateway's own service for operators. */
export const admin: Module = {
  name: 'admin',
  service: { scope: 'admin', operations, ofGateway: true },
  open: (host) => new AdminModule(host),
};

class AdminModule implements OpenModule {
  readonly #host: OpeningHost;
  /** Undefined until the store is open. */
  #rows: PresenceStore | undefined;
  #presence: Presence | undefined;

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  async ready(): Promise<void> {
    const { store, version, logger } = this.#host;
    const { openPresence, Presence } = await import('./presence.ts');
    const rows = await store.extend(openPresence);
    this.#rows = rows;
    this.#presence = new Presence({ store, rows, version, logger });
  }

  start(): void {
    this.#presence?.start();
  }

  stopping(): void {
    this.#presence?.drain();
  }

  async closed(): Promise<void> {
    await this.#presence?.leave();
  }

  async createService(host: Host): Promise<ModuleService> {
    if (!this.#rows) throw new TypeError('the admin service is created before the gateway is ready');
    return (await import('./create.ts')).createAdmin(host, this.#rows);
  }
}
