# Four programs in a pipeline.
seq 2000 | sort -R | sort -u | wc -l
