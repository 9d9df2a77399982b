# Children that each write a file, and are waited for in turn.
import subprocess

jobs = [
    subprocess.Popen(["sh", "-c", f"echo {number} >{number}; cat {number}"], stdout=subprocess.PIPE)
    for number in range(4)
]
for job in jobs:
    job.communicate()
for number in range(4):
    with open(str(number)) as file:
        assert file.read() == f"{number}\n"
subprocess.run(["sort", "1", "2"], check=True, capture_output=True)
