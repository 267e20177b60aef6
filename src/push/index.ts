export { type Deliverer, type DelivererOptions, type PushStats, startDeliverer } from './deliverer.ts';
export { createSender, type Send, type SenderOptions } from './sender.ts';
