"""What several tests share: made data, servers that answer badly, processes that are waited for."""
