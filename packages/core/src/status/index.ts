export { installationProblems } from './installation-problems.ts';
