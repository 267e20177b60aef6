export { type Deliverer, type DelivererOptions, type PushStats, startDeliverer } from './deliverer.ts';
export { createSender, type SenderOptions, type SendNotification as Send } from './sender.ts';
