export { logRepeats } from './log-repeats.ts';
export { createLogger, type Logger } from './logger.ts';
