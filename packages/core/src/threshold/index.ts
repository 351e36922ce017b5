export {
  type Contender,
  type Grant,
  groupContenders,
  type SharedGrants,
  shareGrants,
  type ThresholdGroup,
} from './share-grants.ts';
