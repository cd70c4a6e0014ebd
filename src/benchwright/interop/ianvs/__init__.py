"""KubeEdge-Ianvs: its jobs run here without Sedna, and our tracks run there."""
