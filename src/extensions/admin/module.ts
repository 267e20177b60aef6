import { operations } from '../../gen/admin-v1/operations.ts';
import type { Module } from '../module.ts';

/** The gateway's own service for operators. */
export const admin: Module = {
  name: 'admin',
  service: { scope: 'admin', operations, ofGateway: true },
  open: () => ({ createService: async (host) => (await import('./create.ts')).createAdmin(host) }),
};
