export { answerTimeAt, answerTimeBoundsMs } from './answer-times.ts';
