/** Loaded before a gateway: its wall clock is off by as many milliseconds as TORTURE_CLOCK says. */
const shift = Number(process.env.TORTURE_CLOCK ?? 0);
const { now } = Date;

Date.now = () => now() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, parts, asked) => Reflect.construct(target, parts.length === 0 ? [Date.now()] : parts, asked),
});
