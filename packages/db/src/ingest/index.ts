export { createIntakeCommit, type IntakeCommit } from './commit.ts';
export { findAnswers, type KeptAnswer, type RepeatKeyName, repeatKeyOf, repeatOf } from './repeat-keys.ts';
