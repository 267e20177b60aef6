const number = new Intl.NumberFormat('en-US');

/** Formats a whole number with thousands separators. */
export const count = (value: number): string => number.format(Math.round(value));

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats bytes with a unit, such as `1.5 MiB`. */
export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** step;
  return `${step === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${units[step]}`;
}

/** Formats milliseconds as a duration of two significant parts, such as `3 min 20 s` or `45 ms`. */
export function duration(ms: number): string {
  if (ms > 0 && ms < 0.001) return `${Math.round(ms * 1_000_000)} ns`;
  if (ms < 1_000) return `${ms < 10 && ms > 0 ? ms.toFixed(ms < 0.1 ? 3 : 1) : Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return pair(Math.floor(whole / 60), 'min', whole % 60, 's');
  if (whole < 86_400) return pair(Math.floor(whole / 3_600), 'h', Math.floor((whole % 3_600) / 60), 'min');
  return pair(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3_600), 'h');
}

const pair = (large: number, unit: string, small: number, smaller: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`;

/** Formats a moment relative to another, such as `12 s ago` or `in 3 min`. */
export function relative(at: number, now: number): string {
  const distance = now - at;
  if (Math.abs(distance) < 1_500) return 'now';
  const [largest] = duration(Math.abs(distance)).match(/^[\d.]+ \w+/) ?? [''];
  const rounded = largest.replace(/^(\d+)\.\d /, '$1 ');
  return distance > 0 ? `${rounded} ago` : `in ${rounded}`;
}

/** Returns the words for a state of a task, such as `Input required` for `TASK_STATE_INPUT_REQUIRED`. */
export function words(constant: string): string {
  const text = constant
    .replace(/^(TASK_STATE|AGENT_MODE)_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
  return text === 'ok' ? 'OK' : text.charAt(0).toUpperCase() + text.slice(1);
}

const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const clocks = {
  minutes: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  seconds: new Intl.DateTimeFormat(undefined, time),
  milliseconds: new Intl.DateTimeFormat(undefined, { ...time, fractionalSecondDigits: 3 }),
  exact: new Intl.DateTimeFormat(undefined, {
    ...time,
    dateStyle: undefined,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    timeZoneName: 'short',
  }),
};

/** Formats a time of the day in the browser's zone, such as `14:05:03`; `exact` includes the date and the zone. */
export const clock = (ms: number, form: keyof typeof clocks = 'seconds'): string => clocks[form].format(ms);
