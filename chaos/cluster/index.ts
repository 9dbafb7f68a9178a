export { SERVER_VERSION } from './tool/programs';
export { startCluster } from './tool/start-cluster';
export type { StartClusterOptions } from './tool/start-cluster';
export type { Cluster, ClusterNode, ClusterService, DatabaseStop } from './tool/cluster';
